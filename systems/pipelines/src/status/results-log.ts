import { entryTypes, type EntryType, type TerminationEntry } from './termination-message.ts';

/** A result that is larger than the settings allow. */
export class ResultTooLarge extends Error {
  override readonly name = 'ResultTooLarge';

  constructor(size: number, limit: number) {
    super(`${size} bytes results size exceeds configured limit of ${limit} bytes`);
  }
}

/** The log of the results sidecar is not what it writes. */
export class ResultsLogError extends Error {
  override readonly name = 'ResultsLogError';
}

const types: Readonly<Record<string, EntryType>> = {
  task: entryTypes.taskResult,
  step: entryTypes.stepResult,
  stepArtifact: entryTypes.stepArtifacts,
  taskArtifact: entryTypes.taskArtifacts,
};

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Reads the output of the results sidecar: a line of JSON for each result. Of a line that is too long no more is kept
 * than its length. Throws {@link ResultTooLarge} and {@link ResultsLogError}.
 */
export async function readResultsLog(
  log: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<readonly TerminationEntry[]> {
  const entries: TerminationEntry[] = [];
  let parts: Uint8Array[] = [];
  let size = 0;
  const endLine = () => {
    const bytes = Buffer.concat(parts);
    const isCut = size > bytes.length;
    const end = !isCut && bytes.at(-1) === carriageReturn ? 1 : 0;
    if (size - end > limit) throw new ResultTooLarge(size - end, limit);
    entries.push(readLine(bytes.subarray(0, bytes.length - end).toString('utf8')));
    parts = [];
    size = 0;
  };
  for await (const chunk of log) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      if (size <= limit) parts.push(chunk.subarray(from, at));
      size += at - from;
      endLine();
      from = at + 1;
    }
    if (from >= chunk.length) continue;
    if (size <= limit) parts.push(chunk.slice(from));
    size += chunk.length - from;
  }
  if (size > 0) endLine();
  return entries;
}

function readLine(line: string): TerminationEntry {
  let read: { readonly name?: unknown; readonly value?: unknown; readonly type?: unknown };
  try {
    read = JSON.parse(line) as typeof read;
  } catch (cause) {
    throw new ResultsLogError(`invalid result "": ${(cause as Error).message}`, { cause });
  }
  const { name, value, type } = read ?? {};
  const known = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
  if (known === undefined || typeof name !== 'string' || typeof value !== 'string')
    throw new ResultsLogError(`invalid sidecar result type ${String(type)}. Must be task or step or stepArtifact`);
  return { key: name, value, type: known };
}

/** The results of one step: in the log they carry the name of its container. */
export function stepEntriesOf(entries: readonly TerminationEntry[], container: string): readonly TerminationEntry[] {
  return entries.flatMap((entry) => {
    if (entry.type === entryTypes.stepArtifacts) return entry.key === container ? [entry] : [];
    if (entry.type !== entryTypes.stepResult || !entry.key.startsWith(`${container}.`)) return [];
    return [{ ...entry, key: entry.key.slice(container.length + 1) }];
  });
}
