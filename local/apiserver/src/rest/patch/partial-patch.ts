import { cloneJson, type KubeObject, type ObjectMeta } from '@tektite/meta';
import { applyMergePatch, applyStrategicMergePatch } from '@tektite/schema/patch';
import type { Draft, Resource } from '../../registry/resource.ts';

/**
 * Patches whose untouched fields are known in advance. These are shared with the old object, by identity: they are not
 * decoded again, and a comparison returns early. Controllers and nodes write little else. `undefined` for other or
 * invalid patches, which take the general path.
 */

interface PartialPatch {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Readonly<Partial<ObjectMeta>>;
}

interface StatusPatch extends PartialPatch {
  readonly status: object;
}

/** The identity fields of a patch, which must match the object. */
const identity: ReadonlySet<string> = new Set(['name', 'namespace', 'uid', 'resourceVersion']);
const labels: ReadonlySet<string> = new Set(['labels', 'annotations']);
const partsWithStatus: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);
const partsWithLabels: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Patches the status, and reads nothing else. */
export function patchStatusAlone(
  resource: Resource,
  type: 'merge' | 'strategic',
  old: KubeObject,
  patch: unknown,
): Draft | undefined {
  if (!isStatusPatch(patch) || !isMeant(patch, old)) return undefined;
  const status = patchedStatus(resource, type, old, patch);
  if (!status) return undefined;
  return { ...old, metadata: { ...old.metadata, ...patch.metadata }, status } as unknown as Draft;
}

/**
 * Sets labels and annotations of a custom resource, and reads nothing but its metadata. Not for built-in kinds: what those
 * do on an update may change the rest in place.
 */
export function patchLabelsAlone(resource: Resource, old: KubeObject, patch: unknown): Draft | undefined {
  if (!resource.custom || !isLabelPatch(patch) || !isMeant(patch, old)) return undefined;
  const { apiVersion, kind } = old;
  const { managedFields, ...metadata } = old.metadata;
  try {
    const value = { apiVersion, kind, metadata: applyMergePatch(metadata, patch.metadata) };
    const { object, strictErrors } = resource.decode({ value, hasNumberTexts: false });
    if (strictErrors.length > 0) return undefined;
    return { ...old, metadata: { ...object.metadata, ...(managedFields ? { managedFields } : {}) } } as Draft;
  } catch {
    return undefined;
  }
}

function isMeant({ apiVersion, kind, metadata }: PartialPatch, old: KubeObject): boolean {
  return (
    (apiVersion ?? old.apiVersion) === old.apiVersion &&
    (kind ?? old.kind) === old.kind &&
    (metadata?.name ?? old.metadata.name) === old.metadata.name
  );
}

function isStatusPatch(patch: unknown): patch is StatusPatch {
  if (!hasOnly(patch, partsWithStatus)) return false;
  const { status, metadata = {} } = patch as Record<string, unknown>;
  return isObject(status) && isObject(metadata) && Object.entries(metadata).every(namesObject);
}

function isLabelPatch(patch: unknown): patch is PartialPatch {
  if (!hasOnly(patch, partsWithLabels)) return false;
  const { metadata } = patch as Record<string, unknown>;
  return isObject(metadata) && Object.entries(metadata).every((entry) => namesObject(entry) || setsLabels(entry));
}

/** An empty text means as little as none, which reading would find out. */
function namesObject([key, value]: readonly [string, unknown]): boolean {
  return identity.has(key) && typeof value === 'string' && value !== '';
}

/** Without taking any away: a map that is left empty is no map. */
function setsLabels([key, value]: readonly [string, unknown]): boolean {
  return labels.has(key) && isObject(value) && Object.values(value).every((text) => typeof text === 'string');
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
    const { object, strictErrors } = resource.decode({ value, hasNumberTexts: false });
    return strictErrors.length === 0 && isObject(object.status) ? object.status : undefined;
  } catch {
    return undefined;
  }
}

function hasOnly(patch: unknown, parts: ReadonlySet<string>): boolean {
  if (!isObject(patch)) return false;
  for (const part in patch) if (!parts.has(part)) return false;
  return true;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
