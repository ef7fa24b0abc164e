import type { ResourceDescriptor } from './resource-descriptor.ts';

/** An in-toto statement: what was made, and how. */
export interface Statement {
  readonly _type: string;
  readonly subject: readonly ResourceDescriptor[];
  readonly predicateType: string;
  readonly predicate: Readonly<Record<string, unknown>>;
}

/**
 * The statement as bytes. Upstream prints messages of protocol buffers: fields in the order of their numbers, empty
 * ones left out, keys of free-form parts sorted. The blanks that its printer adds at random are not there.
 */
export function printStatement({ _type, subject, predicateType, predicate }: Statement): string {
  return JSON.stringify({
    _type,
    ...(subject.length === 0 ? {} : { subject: subject.map(orderedDescriptor) }),
    predicateType,
    predicate: sortKeys(predicate),
  });
}

/** A descriptor with its fields in order, and without those that are empty. */
export function orderedDescriptor({
  name,
  uri,
  digest,
  content,
  mediaType,
}: ResourceDescriptor): Record<string, unknown> {
  return {
    ...(name ? { name } : {}),
    ...(uri ? { uri } : {}),
    ...(digest && Object.keys(digest).length > 0 ? { digest: sortKeys(digest) } : {}),
    ...(content ? { content } : {}),
    ...(mediaType ? { mediaType } : {}),
  };
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sortKeys(each)]));
}
