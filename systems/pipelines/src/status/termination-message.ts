import { goStructJson } from '@tektite/go';
import { inflateRawSync } from 'node:zlib';
import { formatTime } from '@tektite/meta';

/** The type of an entry of a termination message; the numbers are on the wire. */
export const entryTypes = {
  taskResult: 1,
  internal: 3,
  stepResult: 4,
  stepArtifacts: 5,
  taskArtifacts: 6,
  unknown: 10,
} as const;

export type EntryType = (typeof entryTypes)[keyof typeof entryTypes];

/** One entry of a step's termination message. */
export interface TerminationEntry {
  readonly key: string;
  readonly value: string;
  readonly resourceName?: string;
  /** An {@link EntryType}, or a number that means nothing, or nothing. */
  readonly type?: number;
}

/** A message that was not written by an entrypoint. */
export class TerminationMessageError extends Error {
  override readonly name = 'TerminationMessageError';
}

/** How older entrypoints spelt the types. */
const spelledTypes: Readonly<Record<string, EntryType>> = {
  TaskRunResult: entryTypes.taskResult,
  InternalTektonResult: entryTypes.internal,
  StepResult: entryTypes.stepResult,
  StepArtifactsResult: entryTypes.stepArtifacts,
  TaskRunArtifactsResult: entryTypes.taskArtifacts,
};

const compressedPrefix = 'tknz:';
/** A few bytes can be made to swell to gigabytes. */
const maxDecompressedBytes = 131_072;

/**
 * The entries of a step, each key once: the last one counts, sorted. An empty message has none. Throws a {@link
 * TerminationMessageError} for anything else that is no list of entries.
 */
export function parseTerminationMessage(message: string): readonly TerminationEntry[] {
  if (message === '') return [];
  let list: unknown;
  try {
    list = JSON.parse(decompress(message));
  } catch (cause) {
    throw new TerminationMessageError(`parsing message json: ${(cause as Error).message}`, { cause });
  }
  if (list === null) return [];
  if (!Array.isArray(list)) throw new TerminationMessageError('parsing message json: it is no list');
  const byKey = new Map<string, TerminationEntry>();
  for (const item of list) {
    const entry = readEntry(item);
    if (entry) byKey.set(entry.key, entry);
  }
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** As Go reads it: names in any case, absent texts are empty, and what has none of its fields is not there. */
function readEntry(item: unknown): TerminationEntry | undefined {
  if (item === null) return undefined;
  if (typeof item !== 'object' || Array.isArray(item)) throw new TerminationMessageError(notAnEntry);
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(item)) if (value !== null) fields.set(name.toLowerCase(), value);
  const text = (name: string) => {
    const value = fields.get(name) ?? '';
    if (typeof value !== 'string') throw new TerminationMessageError(notAnEntry);
    return value;
  };
  const [key, value, resourceName] = [text('key'), text('value'), text('resourcename')];
  const type = readType(fields.get('type'));
  if (key === '' && value === '' && resourceName === '' && type === 0) return undefined;
  return { key, value, ...(resourceName === '' ? {} : { resourceName }), ...(type === 0 ? {} : { type }) };
}

const notAnEntry = 'parsing message json: an item is no entry';

function readType(type: unknown = 0): number {
  if (typeof type === 'string')
    return (Object.hasOwn(spelledTypes, type) ? spelledTypes[type] : undefined) ?? entryTypes.unknown;
  if (!Number.isSafeInteger(type)) throw new TerminationMessageError(notAnEntry);
  return type as number;
}

function decompress(message: string): string {
  if (!message.startsWith(compressedPrefix)) return message;
  const bytes = Buffer.from(message.slice(compressedPrefix.length), 'base64');
  return inflateRawSync(bytes, { maxOutputLength: maxDecompressedBytes }).toString('utf8');
}

/** The message that a run's status shows: without what is only between the entrypoint and the controller. */
export function visibleMessage(entries: readonly TerminationEntry[]): string {
  const shown = entries.filter(({ type }) => type !== entryTypes.internal);
  return shown.length > 0 ? goStructJson(shown) : '';
}

/** Why a step ended, if its entrypoint knows. */
export function reportedReason(entries: readonly TerminationEntry[]): string | undefined {
  return entries.find(({ type, key }) => type === entryTypes.internal && key === 'Reason')?.value;
}

const entrypointTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d)$/;

/** The start time of the user's program, from an entry of any type. An invalid time is ignored. */
export function reportedStart(entries: readonly TerminationEntry[]): string | undefined {
  const text = entries.find(({ key }) => key === 'StartedAt')?.value ?? '';
  const time = entrypointTime.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : formatTime(time);
}

/** The exit code of the user's program, from an entry of any type. A value that is no 32-bit number is ignored. */
export function reportedExitCode(entries: readonly TerminationEntry[]): number | undefined {
  const text = entries.find(({ key }) => key === 'ExitCode')?.value ?? '';
  const code = Number(text);
  return /^[+-]?\d+$/.test(text) && (code | 0) === code ? code : undefined;
}
