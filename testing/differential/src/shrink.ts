import { applyEdit, type Operation } from './operation.ts';
import type { Sequence } from './run-sequence.ts';

/** Whether a smaller sequence still shows the difference. */
export type StillDiffers = (sequence: Sequence) => Promise<boolean>;

const maxTries = 120;

/**
 * Makes a sequence that differs as small as it gets: operations are dropped, then fields of bodies, then edits and
 * options. Each step is kept only where the servers still differ.
 */
export async function shrink(sequence: Sequence, stillDiffers: StillDiffers): Promise<Sequence> {
  let current = sequence;
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < maxTries; ) {
    isSmaller = false;
    for (const candidate of smallerSequences(current)) {
      if (++tries > maxTries) break;
      if (!(await stillDiffers(candidate))) continue;
      current = candidate;
      isSmaller = true;
      break;
    }
  }
  return current;
}

function* smallerSequences(sequence: Sequence): Generator<Sequence> {
  const { operations } = sequence;
  const half = Math.ceil(operations.length / 2);
  if (operations.length > 3) yield { ...sequence, operations: operations.slice(half) };
  for (let index = 0; index < operations.length; index++)
    yield { ...sequence, operations: operations.filter((_, at) => at !== index) };
  for (const [index, operation] of operations.entries())
    for (const smaller of smallerOperations(operation))
      yield { ...sequence, operations: operations.with(index, smaller) };
}

function* smallerOperations(operation: Operation): Generator<Operation> {
  const { edits, body, path } = operation;
  for (let index = 0; index < (edits?.length ?? 0); index++)
    yield { ...operation, edits: edits?.filter((_, at) => at !== index) ?? [] };
  const [resource, query] = path.split('?');
  for (const option of query?.split('&') ?? []) {
    const rest = query?.split('&').filter((each) => each !== option) ?? [];
    // Without its time limit, a watch has no end.
    if (!/^(watch|timeoutSeconds)=/.test(option))
      yield { ...operation, path: rest.length === 0 ? (resource as string) : `${resource}?${rest.join('&')}` };
  }
  if (body !== undefined) for (const at of places(body, '')) yield { ...operation, body: applyEdit(body, { at }) };
}

/** The places of a document, the largest parts first. */
function* places(value: unknown, at: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const entries = Object.entries(value).map(
    ([key, each]) => [`${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, each] as const,
  );
  for (const [place] of entries) if (!/^\/(apiVersion|kind)$/.test(place)) yield place;
  for (const [place, each] of entries) yield* places(each, place);
}
