import { createHash } from 'node:crypto';
import { parseResultName, type RecordName, type ResultName } from '../api/names.ts';
import type { Run } from '../kinds/runs.ts';
import { annotations } from './annotations.ts';

const eventIdLabel = 'triggers.tekton.dev/triggers-eventid';
const validPart = /^[a-z0-9_-]{1,63}$/;

/**
 * The Result of a run: the one that it names, that of the event that triggered it, or that of its PipelineRun or its own. A run cannot name
 * one of another namespace: its author may have no rights there.
 */
export function resultNameOf(run: Run): ResultName {
  const { namespace: parent = '', uid = '', labels, ownerReferences = [] } = run.metadata;
  const named = namedResult(run);
  if (named?.parent === parent) return named;
  const eventId = labels?.[eventIdLabel];
  if (eventId !== undefined && validPart.test(eventId)) return { parent, result: eventId };
  const owner = ownerReferences.find(({ kind }) => kind.toLowerCase() === 'pipelinerun');
  return { parent, result: owner?.uid ?? uid };
}

function namedResult({ metadata }: Run): ResultName | undefined {
  const text = metadata.annotations?.[annotations.result];
  try {
    return text === undefined ? undefined : parseResultName(text);
  } catch {
    return undefined;
  }
}

export function recordNameOf(run: Run): RecordName {
  return { ...resultNameOf(run), name: run.metadata.uid ?? '' };
}

/** The record of the log of a run, as upstream derives it from the id of its Result. */
export const logRecordName = (result: ResultName, resultId: string, uid: string): RecordName => ({
  ...result,
  name: uuidOf(resultId, uid),
});

export const eventListName = (result: ResultName, resultId: string, uid: string): RecordName => ({
  ...result,
  name: uuidOf(resultId, `${uid}eventlist`),
});

/** A UUID of version 3. */
function uuidOf(space: string, name: string): string {
  const bytes = createHash('md5')
    .update(Buffer.from(space.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x30;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
