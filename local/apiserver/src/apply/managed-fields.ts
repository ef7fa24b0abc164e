import { badRequestError, type ManagedFieldsEntry, quoteGo } from '@tektite/meta';
import { type FieldSet, isEmptySet, orderedSet } from './field-set.ts';
import { readFieldSet } from './read-field-set.ts';

/** The fields of one manager by one operation on one path (the object itself, or a subresource). */
export interface ManagerEntry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly set: FieldSet;
}

/** Managers by identity: name, operation, subresource and, for updates, version. */
export type Managers = Map<string, ManagerEntry>;

/** An Apply entry is the same whatever version it was made in; Update entries of different versions are kept apart. */
export function managerKey({
  manager,
  operation,
  apiVersion,
  subresource,
}: Omit<ManagerEntry, 'set' | 'time'>): string {
  // The name comes last: it may be any text, the others have no line breaks.
  return `${operation}\n${operation === 'Apply' ? '' : apiVersion}\n${subresource}\n${manager}`;
}

/** Reads the `metadata.managedFields` of a stored object. */
export function readManagers(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  const managers: Managers = new Map();
  for (const entry of entries ?? []) add(managers, entry, (entry.fieldsV1 ?? {}) as FieldSet);
  return managers;
}

/** Reads entries that a client sent; `undefined` when one makes no sense, which upstream treats as having none. */
export function readGivenManagers(entries: readonly ManagedFieldsEntry[] | undefined): Managers | undefined {
  const managers: Managers = new Map();
  for (const [index, entry] of (entries ?? []).entries()) {
    const set = problemOf(entry, index) === undefined ? readFieldSet(entry.fieldsV1 ?? {}) : undefined;
    if (!set) return undefined;
    add(managers, entry, set);
  }
  return managers;
}

/** Why entries make no sense, in upstream's words; `undefined` when they do. */
export function managedFieldsProblem(entries: readonly ManagedFieldsEntry[] | undefined): string | undefined {
  for (const [index, entry] of (entries ?? []).entries()) {
    const problem = problemOf(entry, index);
    if (problem !== undefined) return problem;
    if (!readFieldSet(entry.fieldsV1 ?? {})) return `error decoding set in managed fields entry ${index}`;
  }
  return undefined;
}

function problemOf({ operation, apiVersion, fieldsType }: ManagedFieldsEntry, index: number): string | undefined {
  if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`';
  if (!apiVersion) return 'apiVersion must not be empty';
  if (fieldsType === 'FieldsV1') return undefined;
  return fieldsType
    ? `invalid fieldsType ${quoteGo(fieldsType)} in managed fields entry ${index}`
    : `missing fieldsType in managed fields entry ${index}`;
}

function add(managers: Managers, entry: ManagedFieldsEntry, set: FieldSet): void {
  const { manager = '', operation = '', apiVersion = '', subresource = '', time } = entry;
  const read: ManagerEntry = { manager, operation, apiVersion, subresource, time, set };
  managers.set(managerKey(read), read);
}

/** Prints managers in upstream's order: applies first, then by time, name and version. */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()]
    .filter(({ set }) => !isEmptySet(set))
    .sort(
      (a, b) =>
        compareText(a.operation, b.operation) ||
        compareText(a.time ?? '', b.time ?? '') ||
        compareText(a.manager, b.manager) ||
        compareText(a.apiVersion, b.apiVersion) ||
        compareText(a.subresource, b.subresource),
    )
    .map(({ manager, operation, apiVersion, time, set, subresource }) => ({
      manager,
      operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: orderedSet(set) as NonNullable<ManagedFieldsEntry['fieldsV1']>,
      ...(subresource === '' ? {} : { subresource }),
    }));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Update managers beyond this many are merged, oldest first, into one. */
const maxUpdateManagers = 10;
const oldUpdatesManager = 'ancient-changes';

/** Keeps the number of Update entries bounded: the oldest of a version become one entry named `ancient-changes`. */
export function capUpdateManagers(managers: Managers, union: (a: FieldSet, b: FieldSet) => FieldSet): void {
  const updates = [...managers.values()].filter(({ operation }) => operation === 'Update');
  let count = updates.length;
  if (count <= maxUpdateManagers) return;
  updates.sort(
    (a, b) =>
      compareText(a.time ?? '', b.time ?? '') ||
      compareText(a.manager, b.manager) ||
      compareText(a.apiVersion, b.apiVersion) ||
      compareText(a.subresource, b.subresource),
  );
  const first = new Map<string, ManagerEntry>();
  for (const entry of updates) {
    if (count <= maxUpdateManagers) return;
    const { apiVersion } = entry;
    const oldest = first.get(apiVersion);
    if (!oldest) {
      first.set(apiVersion, entry);
      continue;
    }
    const bucket = { manager: oldUpdatesManager, operation: 'Update', apiVersion, subresource: '' };
    const existing = managers.get(managerKey(bucket)) ?? oldest;
    managers.delete(managerKey(oldest));
    managers.delete(managerKey(entry));
    managers.set(managerKey(bucket), { ...bucket, time: entry.time, set: union(existing.set, entry.set) });
    count--;
  }
}

/** An apply may not carry managedFields. */
export function rejectManagedFields(entries: readonly ManagedFieldsEntry[] | undefined): void {
  if (entries !== undefined && entries !== null) throw badRequestError('metadata.managedFields must be nil');
}
