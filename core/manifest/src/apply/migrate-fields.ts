import { jsonPatch, type Patch } from '@tektite/client';
import { cloneJson, type DynamicObject, type ManagedFieldsEntry } from '@tektite/meta';
import { isMapping } from '../field-value.ts';

/** Tools that own what they set by updates; what they set once, an apply could not remove later. */
export const clientSideManagers: readonly string[] = ['kubectl-client-side-apply', 'manifestival'];

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The patch that hands fields of client-side tools over to `manager`, so that its next apply can also remove them; undefined when
 * there is nothing to hand over. It holds for this version of the object only.
 */
export function migrateFields(
  live: DynamicObject,
  manager: string,
  legacy: readonly string[] = clientSideManagers,
): Patch | undefined {
  const entries = live.metadata.managedFields ?? [];
  const old = entries.filter((entry) => isLegacy(entry, legacy));
  if (old.length === 0) return undefined;
  const isOwn = (entry: ManagedFieldsEntry) =>
    entry.manager === manager && entry.operation === 'Apply' && !entry.subresource;
  const own = entries.find(isOwn);
  const first = old[0] as ManagedFieldsEntry;
  const fieldsV1 = [...old, ...(own ? [own] : [])].reduce<Record<string, unknown>>(
    (all, entry) => union(all, entry.fieldsV1 ?? {}),
    {},
  );
  const { time: _time, subresource: _subresource, ...rest } = own ?? first;
  const merged: ManagedFieldsEntry = { ...rest, manager, operation: 'Apply', fieldsV1 };
  const kept = entries.filter((entry) => !isLegacy(entry, legacy) && !isOwn(entry));
  return jsonPatch([
    { op: 'test', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion ?? '' },
    { op: 'replace', path: '/metadata/managedFields', value: [merged, ...kept] },
    // No tool updates the annotation from now on; kubectl would compare with it again if it were there.
    ...(live.metadata.annotations?.[lastApplied] === undefined
      ? []
      : [{ op: 'remove', path: `/metadata/annotations/${lastApplied.replace('/', '~1')}` } as const]),
  ]);
}

function isLegacy({ manager = '', operation, subresource }: ManagedFieldsEntry, legacy: readonly string[]): boolean {
  return operation === 'Update' && !subresource && legacy.includes(manager);
}

function union(a: Record<string, unknown>, b: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result = { ...a };
  for (const key of Object.keys(b)) {
    const mine = Object.hasOwn(result, key) ? result[key] : undefined;
    const theirs = b[key];
    const value = isMapping(mine) && isMapping(theirs) ? union(mine, theirs) : cloneJson(theirs ?? mine);
    Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return result;
}
