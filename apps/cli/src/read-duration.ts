import { parseGoDuration } from '@tektite/go';
import { UserError } from './user-error.ts';

/** A time as Go writes it, in milliseconds. */
export function readDuration(option: string, text: string): number {
  try {
    return Number(parseGoDuration(text) / 1_000_000n);
  } catch {
    throw new UserError(`${option} must be a time, as 15s, 1m30s or 500ms, not ${JSON.stringify(text)}`, 2);
  }
}
