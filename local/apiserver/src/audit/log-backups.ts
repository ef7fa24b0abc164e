import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/** Which backups of a rotated file stay. */
export interface KeptBackups {
  /** How many. Default: all. */
  readonly maxBackups?: number;
  /** For how many days. Default: for ever. */
  readonly maxDays?: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const stamp = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/;

/** `audit.log` is kept as `audit-2026-01-02T03-04-05.678.log`, as upstream's rotation names it. */
export function backupName(file: string, now: number): string {
  const { start, end } = partsOf(file);
  const time = new Date(now).toISOString().slice(0, -1).replaceAll(':', '-');
  return join(dirname(file), `${start}${time}${end}`);
}

/** Removes the backups of a file that are too many or too old. */
export async function removeOldBackups(file: string, { maxBackups, maxDays }: KeptBackups, now: number): Promise<void> {
  const { start, end } = partsOf(file);
  const backups = (await readdir(dirname(file)))
    .filter((name) => name.startsWith(start) && name.endsWith(end))
    .map((name) => ({ name, time: name.slice(start.length, name.length - end.length) }))
    .filter(({ time }) => stamp.test(time))
    .sort((a, b) => (a.time < b.time ? 1 : -1));
  const oldest = maxDays === undefined ? -Infinity : now - maxDays * dayMs;
  const stale = backups.filter(({ time }, index) => index >= (maxBackups ?? Infinity) || timeOf(time) < oldest);
  await Promise.all(stale.map(({ name }) => rm(join(dirname(file), name), { force: true })));
}

function partsOf(file: string): { readonly start: string; readonly end: string } {
  const end = extname(file);
  return { start: `${basename(file, end)}-`, end };
}

function timeOf(time: string): number {
  return Date.parse(`${time.slice(0, 10)}T${time.slice(11).replaceAll('-', ':')}Z`);
}
