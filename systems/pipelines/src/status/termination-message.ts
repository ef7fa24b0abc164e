import { inflateRawSync } from 'node:zlib';
import { goJson } from '../kinds/go-json.ts';

/** What kind of thing an entry of a termination message is; the numbers are on the wire. */
export const entryTypes = {
  taskResult: 1,
  internal: 3,
  stepResult: 4,
  stepArtifacts: 5,
  taskArtifacts: 6,
  unknown: 10,
} as const;

export type EntryType = (typeof entryTypes)[keyof typeof entryTypes];

/** One thing that a step tells at its end. */
export interface TerminationEntry {
  readonly key: string;
  readonly value: string;
  readonly resourceName?: string;
  readonly type: EntryType;
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
 * What a step told, each key once: the last that was said of it, sorted. An empty message tells nothing. Throws a
 * {@link TerminationMessageError} for anything else that is no list of entries.
 */
export function parseTerminationMessage(message: string): readonly TerminationEntry[] {
  if (message === '') return [];
  let list: unknown;
  try {
    list = JSON.parse(decompress(message));
  } catch (cause) {
    throw new TerminationMessageError(`parsing message json: ${(cause as Error).message}`, { cause });
  }
  if (!Array.isArray(list)) throw new TerminationMessageError('parsing message json: it is no list');
  const byKey = new Map<string, TerminationEntry>();
  for (const item of list) {
    const entry = readEntry(item);
    byKey.set(entry.key, entry);
  }
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function readEntry(item: unknown): TerminationEntry {
  const { key, value, resourceName, type } = (item ?? {}) as Record<string, unknown>;
  if (typeof key !== 'string' || typeof value !== 'string')
    throw new TerminationMessageError('parsing message json: an entry has no key or no value');
  return {
    key,
    value,
    ...(typeof resourceName === 'string' ? { resourceName } : {}),
    type: readType(type),
  };
}

function readType(type: unknown): EntryType {
  if (typeof type === 'string') return spelledTypes[type] ?? entryTypes.unknown;
  const known = Object.values(entryTypes) as readonly unknown[];
  return known.includes(type) ? (type as EntryType) : entryTypes.unknown;
}

function decompress(message: string): string {
  if (!message.startsWith(compressedPrefix)) return message;
  const bytes = Buffer.from(message.slice(compressedPrefix.length), 'base64');
  return inflateRawSync(bytes, { maxOutputLength: maxDecompressedBytes }).toString('utf8');
}

/** The message that a run's status shows: without what is only between the entrypoint and the controller. */
export function visibleMessage(entries: readonly TerminationEntry[]): string {
  const shown = entries.filter(({ type }) => type !== entryTypes.internal);
  return shown.length > 0 ? goJson(shown) : '';
}

/** What an internal entry says: `StartedAt`, `ExitCode`, `Reason`. */
export function internalValue(entries: readonly TerminationEntry[], key: string): string | undefined {
  return entries.find((entry) => entry.type === entryTypes.internal && entry.key === key)?.value;
}
