import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the built page: beside the bundle, whose parts are one folder deeper. */
export function pageFolder(): string {
  const candidates = ['./page', '../page'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return candidates.find((path) => existsSync(path)) ?? candidates[0] ?? '';
}
