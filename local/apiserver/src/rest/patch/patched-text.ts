import { stringifyJson } from '@tektite/meta';
import type { Patched } from './patched.ts';

/**
 * The patched text as upstream shows it in errors. Go writes maps with sorted keys: what a patch went through has become
 * maps, as all of a custom resource is; the rest keeps the order of its fields.
 */
export function sortedText(resource: Patched, value: unknown, patch: unknown): string {
  return stringifyJson(resource.custom ? sortKeys(value) : sortTouched(value, touchedBy(patch)));
}

/** Where a patch goes: objects within objects. */
interface Touched {
  [key: string]: Touched | undefined;
}

function touchedBy(patch: unknown): Touched {
  if (Array.isArray(patch)) return touchedByOperations(patch);
  const touched: Touched = Object.create(null) as Touched;
  if (typeof patch !== 'object' || patch === null) return touched;
  for (const [key, value] of Object.entries(patch))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) touched[key] = touchedBy(value);
  return touched;
}

function touchedByOperations(operations: readonly unknown[]): Touched {
  const root: Touched = Object.create(null) as Touched;
  for (const operation of operations) {
    const { path = '' } = operation as { path?: string };
    let at = root;
    for (const segment of String(path).split('/').slice(1, -1)) {
      const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
      at = at[key] ??= Object.create(null) as Touched;
    }
  }
  return root;
}

function sortTouched(value: unknown, touched: Touched | undefined): unknown {
  if (!touched || typeof value !== 'object' || value === null) return sortOwners(value);
  if (Array.isArray(value)) return value.map((item, index) => sortTouched(item, touched[String(index)]));
  return sortEntries(value, (key, item) => sortTouched(item, touched[key]));
}

/** The record of who owns what is sorted wherever it is shown. */
function sortOwners(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { managedFields } = value as { managedFields?: readonly { fieldsV1?: unknown }[] };
  if (!Array.isArray(managedFields)) return value;
  return { ...value, managedFields: managedFields.map((entry) => ({ ...entry, fieldsV1: sortKeys(entry.fieldsV1) })) };
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(sortKeys) : sortEntries(value, (_, item) => sortKeys(item));
}

function sortEntries(value: object, map: (key: string, item: unknown) => unknown): unknown {
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((key) => [key, map(key, fields[key])]),
  );
}
