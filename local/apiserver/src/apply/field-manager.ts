import { equalJson, formatApiVersion, type KubeObject, type ManagedFieldsEntry, StatusError } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { ApplyConflictError, conflictStatus, findConflicts } from './apply-conflict.ts';
import { ListElementError } from './atom.ts';
import { checkTyped } from './check-typed.ts';
import { compare, type Comparison } from './compare.ts';
import {
  emptySet,
  type FieldSet,
  hasMember,
  intersectSets,
  isEmptySet,
  setOf,
  subtractSets,
  subtractTrees,
  unionSets,
  withNamedFields,
} from './field-set.ts';
import {
  capUpdateManagers,
  managerKey,
  type ManagerEntry,
  type Managers,
  readGivenManagers,
  readManagers,
  rejectManagedFields,
  writeManagers,
} from './managed-fields.ts';
import { formatObject } from './format-object.ts';
import { lastAppliedFields, syncLastApplied } from './last-applied.ts';
import { merge } from './merge.ts';
import { removeFields } from './remove.ts';
import { toFieldSet } from './to-field-set.ts';

/** The manager, operation and time of a write. */
export interface WriteInfo {
  readonly manager: string;
  /** RFC 3339, seconds. */
  readonly time: string;
}

/** The place that is written: which kind and version, by which path. */
export interface ManagedResource {
  readonly group: string;
  readonly version: string;
  readonly schema: JsonSchema;
  readonly subresource: string;
  /** Paths that a write to this place cannot change, with all below them; it does not own them. */
  readonly ignored: FieldSet;
  /** An object of the kind without content, where that has more than a kind: Go prints some structs always. */
  readonly empty?: KubeObject;
}

type AnyObject = KubeObject & { readonly [field: string]: unknown };

/** An object before and after a write, in another version than the write's. */
export interface ChangeInVersion {
  readonly schema: JsonSchema;
  readonly live: AnyObject;
  readonly wanted: AnyObject;
}

/** Changes by apiVersion, for owners that wrote in another version; `undefined` for versions that are not there any more. */
export type ChangesInVersions = ReadonlyMap<string, ChangeInVersion | undefined>;

/** Fields without an owner: they belong to the API server. */
const stripped = setOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
);

/**
 * Updates `metadata.managedFields` for a create, an update or a patch other than apply: the manager owns the fields
 * that it added or changed, and other managers lose them. Returns the new entries; the object is not touched.
 *
 * `live` is the object before (for a create: the kind's empty object). `wanted` may contain entries, which replace
 * those of the live object; a single empty entry clears them.
 */
export function updateManagedFields(
  resource: ManagedResource,
  live: AnyObject,
  wanted: AnyObject,
  write: WriteInfo,
  others: ChangesInVersions = new Map(),
): readonly ManagedFieldsEntry[] | undefined {
  const managers = managersOf(resource, live, wanted);
  // This object has no entries, or they were cleared: it stays so.
  if (managers.size === 0 && live.metadata.uid !== undefined) return undefined;
  const changes = tryCompare(resource, live, wanted);
  if (!changes) return undefined;
  const own = identify(resource, 'Update', write);
  const changed = unionSets(changes.added, changes.modified);
  // An update always wins: all other managers lose the changed fields, and removed fields have no owner any more.
  const foreign = splitForeign(managers, others);
  takeFields(managers, changed, changes.removed);
  for (const [apiVersion, entries] of foreign) {
    const change = others.get(apiVersion);
    const seen = change && tryCompare({ ...resource, schema: change.schema }, change.live, change.wanted);
    if (change && !seen) return undefined;
    if (seen) takeFields(entries, unionSets(seen.added, seen.modified), seen.removed);
    if (seen) for (const [key, entry] of entries) managers.set(key, entry);
  }
  const set = subtractSets(changed, stripped);
  if (!isEmptySet(set)) {
    const key = managerKey(own);
    managers.set(key, { ...own, set: unionSets(managers.get(key)?.set ?? emptySet, set) });
  }
  capUpdateManagers(managers, unionSets);
  return managers.size === 0 ? undefined : writeManagers(managers);
}

/** Removes the managers whose versions have separate changes, by version. */
function splitForeign(managers: Managers, others: ChangesInVersions): Map<string, Managers> {
  const foreign = new Map<string, Managers>();
  for (const [key, entry] of managers) {
    if (!others.has(entry.apiVersion)) continue;
    managers.delete(key);
    const entries = foreign.get(entry.apiVersion);
    if (entries) entries.set(key, entry);
    else foreign.set(entry.apiVersion, new Map([[key, entry]]));
  }
  return foreign;
}

/** `undefined` when a list-map has elements without keys; upstream then forgets who owned what. */
function tryCompare(resource: ManagedResource, live: AnyObject, wanted: AnyObject): Comparison | undefined {
  try {
    return exclude(
      compare(resource.schema, withoutManagedFields(live), withoutManagedFields(wanted)),
      resource.ignored,
    );
  } catch (error) {
    if (error instanceof ListElementError) return undefined;
    throw error;
  }
}

/** The result of an apply: the merged object, without managedFields, and its new entries. */
export interface ApplyResult {
  readonly object: AnyObject;
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
}

/**
 * Server-side apply. Merges `config` into `live`, removes what this manager applied before and no longer does, and keeps
 * the record of owners. Throws a 409 that lists every field owned by others with another value, unless `force` is set.
 */
export function applyConfiguration(
  resource: ManagedResource,
  live: AnyObject,
  config: AnyObject,
  write: WriteInfo,
  force: boolean,
): ApplyResult {
  rejectManagedFields(config.metadata.managedFields);
  const violations = checkTyped(resource.schema, config);
  if (violations.length > 0) throw typedError('patch', violations, config);
  try {
    return apply(resource, live, config, write, force);
  } catch (error) {
    // The configuration was checked, so it is the live object, written before its schema said so.
    if (error instanceof ListElementError) throw liveError(resource, live);
    if (!(error instanceof ApplyConflictError)) throw error;
    // kubectl moving from client-side to server-side apply may take over what its annotation shows it had applied.
    const allowed = write.manager === 'kubectl' ? lastAppliedFields(resource, withoutManagedFields(live)) : undefined;
    const conflicts = allowed ? error.conflicts.filter(({ path }) => !hasMember(allowed, path)) : error.conflicts;
    if (allowed && conflicts.length === 0) return apply(resource, live, config, write, true);
    throw conflictStatus(conflicts);
  }
}

function apply(
  resource: ManagedResource,
  live: AnyObject,
  config: AnyObject,
  write: WriteInfo,
  force: boolean,
): ApplyResult {
  const { schema, ignored } = resource;
  const managers = managersOf(resource, live, live, true);
  if (managers.size === 0 && !isNew(live)) claimBeforeFirstApply(resource, live, managers, write.time);

  const before = withoutManagedFields(live);
  const own = identify(resource, 'Apply', write);
  const key = managerKey(own);
  const last = managers.get(key);
  // Names and the like have no owner in the entries, but here they keep the object's metadata from being pruned.
  const applied = subtractTrees(toFieldSet(schema, config), ignored);
  const set = subtractSets(applied, stripped);
  managers.set(key, { ...own, set: applied });

  const merged = merge(schema, before, config) as AnyObject;
  const object = last && !isEmptySet(last.set) ? prune(schema, merged, managers, last.set) : merged;

  const changes = exclude(compare(schema, before, object), ignored);
  const others: Managers = new Map([...managers].filter(([other]) => other !== key));
  const changed = unionSets(changes.added, changes.modified);
  if (!force) {
    const conflicts = findConflicts(others, changed);
    if (conflicts.length > 0) throw new ApplyConflictError(conflicts);
  }
  takeFields(others, changed, changes.removed);

  const kept: Managers = new Map(others);
  if (!isEmptySet(set)) {
    // An apply that changes nothing leaves no time, not even that of a manager who is new.
    kept.set(key, equalJson(before, object) ? { ...own, time: last?.time, set } : { ...own, set });
  }
  return {
    object: syncLastApplied(object, config, write.manager),
    managedFields: kept.size === 0 ? undefined : writeManagers(kept),
  };
}

function isNew(live: AnyObject): boolean {
  return live.metadata.creationTimestamp === undefined || live.metadata.creationTimestamp === null;
}

/** An object from before managedFields were kept: a first apply credits all of it to a manager of that name. */
function claimBeforeFirstApply(resource: ManagedResource, live: AnyObject, managers: Managers, time: string): void {
  const all = compare(
    resource.schema,
    resource.empty ?? { apiVersion: live.apiVersion, kind: live.kind, metadata: {} },
    withoutManagedFields(live),
  );
  const set = subtractSets(subtractTrees(unionSets(all.added, all.modified), resource.ignored), stripped);
  const own = identify(resource, 'Update', { manager: 'before-first-apply', time });
  if (!isEmptySet(set)) managers.set(managerKey(own), { ...own, set });
}

/**
 * Removes fields that this manager had applied and its configuration no longer contains, except those that another
 * manager owns as well.
 */
function prune(schema: JsonSchema, merged: AnyObject, managers: Managers, last: FieldSet): AnyObject {
  const owned = [...managers.values()].reduce((all, { set }) => unionSets(all, set), emptySet);
  const mergedSet = withNamedFields(toFieldSet(schema, merged));
  const lastNamed = withNamedFields(last);
  const pruned = removeFields(schema, merged, lastNamed);
  const prunedSet = withNamedFields(toFieldSet(schema, pruned ?? {}));
  const addedBack = removeFields(
    schema,
    merged,
    subtractSets(subtractSets(mergedSet, prunedSet), withNamedFields(owned)),
  );
  const addedBackSet = withNamedFields(toFieldSet(schema, addedBack ?? {}));
  return removeFields(schema, merged, intersectSets(subtractSets(mergedSet, addedBackSet), lastNamed)) as AnyObject;
}

function exclude(changes: Comparison, ignored: FieldSet): Comparison {
  if (isEmptySet(ignored)) return changes;
  return {
    added: subtractTrees(changes.added, ignored),
    modified: subtractTrees(changes.modified, ignored),
    removed: subtractTrees(changes.removed, ignored),
  };
}

function takeFields(managers: Managers, changed: FieldSet, removed: FieldSet): void {
  for (const [key, entry] of managers) {
    const set = subtractSets(subtractSets(entry.set, changed), removed);
    if (isEmptySet(set)) managers.delete(key);
    else if (set !== entry.set) managers.set(key, { ...entry, set });
  }
}

function identify(resource: ManagedResource, operation: string, write: WriteInfo): Omit<ManagerEntry, 'set'> {
  return {
    manager: write.manager === '' ? 'unknown' : write.manager,
    operation,
    apiVersion: formatApiVersion(resource),
    subresource: resource.subresource,
    // Upstream forgets the time of what is written through /scale.
    time: resource.subresource === 'scale' ? undefined : write.time,
  };
}

function managersOf(resource: ManagedResource, live: AnyObject, wanted: AnyObject, onlyLive = false): Managers {
  const liveManagers = () => readManagers(live.metadata.managedFields);
  const given = wanted.metadata.managedFields;
  if (onlyLive || resource.subresource !== '' || given === live.metadata.managedFields) return liveManagers();
  // An empty list, or one empty entry, is how a client clears the record.
  if (given?.length === 0 || (given?.length === 1 && equalJson(given[0], {}))) return new Map();
  const managers = readGivenManagers(given);
  return managers && managers.size > 0 ? managers : liveManagers();
}

function withoutManagedFields(object: AnyObject): AnyObject {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The errors of list-map elements in an object; other errors do not matter here. */
function listErrors(schema: JsonSchema, object: AnyObject): string[] {
  return checkTyped(schema, object).filter((error) => error.includes(': associative list '));
}

function liveError(resource: ManagedResource, live: AnyObject): StatusError {
  const violations = listErrors(resource.schema, live);
  // An object without owners gets some first, and that is what fails.
  if (isNew(live) || managersOf(resource, live, live, true).size > 0) return typedError('live', violations, live);
  const message = `failed to create manager for existing fields: failed to convert new object (${formatObject(live)}) to smd typed`;
  return new StatusError({ code: 500, message: `${message}: ${listViolations(violations)}` });
}

function typedError(what: 'patch' | 'live', violations: readonly string[], object: AnyObject): StatusError {
  return new StatusError({
    code: 500,
    message: `failed to create typed ${what} object (${formatObject(object)}): ${listViolations(violations)}`,
  });
}

function listViolations(violations: readonly string[]): string {
  return violations.length === 1
    ? (violations[0] as string)
    : `errors:\n${violations.map((error) => `  ${error}`).join('\n')}`;
}
