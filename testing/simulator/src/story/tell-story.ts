import { resourceOf } from '../faults/request-point.ts';
import type { ChangeEntry, History, HistoryEntry, WriteEntry } from '../history/history.ts';
import type { Failure } from '../run/simulation-report.ts';
import { objectDiff } from './object-diff.ts';

/** Kinds whose changes are the heartbeat and the installation of a cluster, not its story. */
const quietKinds = new Set(['Lease', 'Event', 'CustomResourceDefinition', 'ClusterRole']);

export interface StoryOptions {
  /** At most that many lines; the middle is left out. Default 400. */
  readonly maxLines?: number;
}

/**
 * A run in words: what each component did and what happened to it, in order, with the fields that changed. Heartbeats, Events and writes
 * that changed nothing are left out.
 */
export function tellStory(history: History, failure?: Failure, { maxLines = 400 }: StoryOptions = {}): string {
  const lines = storyLines(history);
  if (failure) lines.push(`${time(failure.at)}  FAILURE (${failure.oracle}): ${failure.message}`);
  if (lines.length <= maxLines) return lines.join('\n');
  const half = Math.floor(maxLines / 2);
  return [...lines.slice(0, half), `… ${lines.length - 2 * half} lines …`, ...lines.slice(-half)].join('\n');
}

function storyLines(history: History): string[] {
  const authors = history.authors();
  return history.entries.flatMap((entry) => entryLines(entry, authors));
}

/** The lines of one entry, for those who read along while the author of a change is not known yet. */
export function storyOf(entry: HistoryEntry): readonly string[] {
  return entryLines(entry, new Map());
}

function entryLines(entry: HistoryEntry, authors: ReadonlyMap<number, string>): readonly string[] {
  if (entry.type === 'note') return [`${time(entry.at)}  ${entry.component}: ${entry.text}`];
  if (entry.type === 'write') return failedWrite(entry);
  return changeLines(entry, authors.get(entry.revision));
}

function failedWrite({ at, component, method, path, code, answer }: WriteEntry): readonly string[] {
  if (code < 300 || resourceOf(path).startsWith('events')) return [];
  const { message = '' } = answer as { message?: string };
  return [`${time(at)}  ${component}: ${method} ${path} is answered ${code}: ${message}`];
}

function changeLines({ at, isDeleted, object, previous }: ChangeEntry, author: string | undefined): readonly string[] {
  if (quietKinds.has(object.kind)) return [];
  const { namespace, name } = object.metadata;
  const what = `${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  const verb = isDeleted ? 'deletes' : previous ? 'changes' : 'creates';
  const head = `${time(at)}  ${author === undefined ? '' : `${author} `}${verb} ${what}`;
  if (!previous || isDeleted) return [head];
  const fields = objectDiff(previous, object);
  return fields.length === 0 ? [] : [head, ...fields.map((field) => `              ${field}`)];
}

/** Seconds since the start. */
function time(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3).padStart(10)}s`;
}
