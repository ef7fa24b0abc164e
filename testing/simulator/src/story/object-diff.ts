import type { KubeObject } from '@tektite/meta';

/** Fields that change with every write, and tell nothing. */
const silent = new Set([
  'metadata.managedFields',
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.uid',
  'metadata.creationTimestamp',
]);

const maxValue = 100;
const maxLines = 12;

/** The fields that a write changed, one line each: `status.phase: "Pending" -> "Running"`. */
export function objectDiff(before: KubeObject | undefined, after: KubeObject): readonly string[] {
  const lines: string[] = [];
  compare(before, after, '', lines);
  return lines.length > maxLines
    ? [...lines.slice(0, maxLines), `… and ${lines.length - maxLines} more fields`]
    : lines;
}

function compare(before: unknown, after: unknown, path: string, lines: string[]): void {
  if (silent.has(path) || before === after || /(?:^|\.)last[A-Za-z]*Time$/.test(path)) return;
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(before[key], after[key], path === '' ? key : `${path}.${key}`, lines);
    return;
  }
  const [then, now] = [show(before), show(after)];
  if (then !== now) lines.push(before === undefined ? `${path}: ${now}` : `${path}: ${then} -> ${now}`);
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > maxValue ? `${text.slice(0, maxValue - 1)}…` : text;
}
