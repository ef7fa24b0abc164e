import { readFileSync } from 'node:fs';

/**
 * Mounts below the folders of the root. A folder is bound without what is mounted in it; but in a user namespace the kernel
 * binds them together, as writable as they are, and so they have to be hidden.
 */
export function nestedMounts(): string[] {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .map((point) => point.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))))
    .filter((point) => point.split('/').length > 2)
    .sort((a, b) => a.length - b.length);
  const outermost: string[] = [];
  for (const point of points)
    if (!outermost.some((outer) => point === outer || point.startsWith(`${outer}/`))) outermost.push(point);
  return outermost;
}
