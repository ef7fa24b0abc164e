import { cloneJson, type KubeObject, type ObjectMeta } from '@tektite/meta';
import { applyMergePatch, applyStrategicMergePatch } from '@tektite/schema/patch';
import type { Draft, Resource } from '../registry/resource.ts';

interface StatusPatch {
  readonly metadata?: Readonly<Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'resourceVersion'>>;
  readonly status: object;
}

/** What patches of a status say of the object, to be sure that it is the one they mean. */
const identity: ReadonlySet<string> = new Set(['name', 'namespace', 'uid', 'resourceVersion']);

/**
 * Patches the status alone, and reads nothing else: all the rest is the old object's own, by identity, so that whoever
 * compares the two is soon done. Controllers and nodes write little else. `undefined` for a patch that says more than that,
 * or something wrong, which are for the general way to answer.
 */
export function patchStatusAlone(
  resource: Resource,
  type: 'merge' | 'strategic',
  old: KubeObject,
  patch: unknown,
): Draft | undefined {
  if (!isStatusPatch(patch) || (patch.metadata?.name ?? old.metadata.name) !== old.metadata.name) return undefined;
  const status = patchedStatus(resource, type, old, patch);
  if (!status) return undefined;
  return { ...old, metadata: { ...old.metadata, ...patch.metadata }, status } as Draft;
}

function isStatusPatch(patch: unknown): patch is StatusPatch {
  if (typeof patch !== 'object' || patch === null) return false;
  const { status, metadata = {}, ...more } = patch as Record<string, unknown>;
  if (!isObject(status) || !isObject(metadata)) return false;
  for (const _ in more) return false;
  // An empty text means as little as none, which reading would find out.
  return Object.entries(metadata).every(
    ([key, value]) => identity.has(key) && typeof value === 'string' && value !== '',
  );
}

function patchedStatus(
  resource: Resource,
  type: 'merge' | 'strategic',
  old: KubeObject,
  { status }: StatusPatch,
): object | undefined {
  const { apiVersion, kind, metadata } = old;
  const before = { apiVersion, kind, metadata: { name: metadata.name }, status: (old as Draft).status ?? {} };
  try {
    const patched =
      type === 'merge'
        ? applyMergePatch(before, { status })
        : applyStrategicMergePatch(resource.schema, before, { status });
    // Custom resources are read in place; other kinds are read into new objects.
    const value = resource.custom ? cloneJson(patched) : patched;
    const { object, complaints } = resource.decode({ value, hasNumberTexts: false });
    return complaints.length === 0 && isObject(object.status) ? object.status : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
