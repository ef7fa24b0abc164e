import { type Client, ignoreNotFound, keyOf, type KindName, kinds, mergePatch, retryOnConflict } from '@tektite/client';
import { formatApiVersion, isStatusError, sleep, type StatusError } from '@tektite/meta';
import type { CustomResourceDefinition } from '@tektite/schema/kubernetes';
import { ControllerError } from '../controller-error.ts';

/** The outcome for the objects of one definition. */
export interface StorageMigration {
  readonly definition: string;
  /** The other versions that objects may have been stored in. */
  readonly from: readonly string[];
  /** The version that is stored now. */
  readonly to: string;
  /** How many objects are stored in it. */
  readonly migrated: number;
  /** Objects that could not be written, with the answer of the server. `from` stays in the definition while there are any. */
  readonly failed: readonly { readonly object: string; readonly error: StatusError }[];
}

/** How long an API server may take to follow a changed definition. It stores in the old version until then. */
const settleMs = 1000;

/**
 * Has every object of a definition written in the version that is stored now, and the definition forget the others. Only then can
 * they be removed from the definition. Returns `undefined` where the objects have no other version.
 *
 * An object is written by a patch without fields: its content, its generation and its managed fields stay as they are. Controllers
 * of the kind receive an update event. Throws where the definition does not exist, or none of its versions is served.
 */
export async function migrateStorage(
  client: Client,
  name: string,
  signal?: AbortSignal,
): Promise<StorageMigration | undefined> {
  const options = signal ? { signal } : {};
  const definition = await client.get(kinds.CustomResourceDefinition, { name }, options);
  const { to, from } = storedVersions(definition);
  if (to === undefined || from.length === 0) return undefined;
  await sleep(client.clock, settleMs, signal);
  const kind = servedKind(definition, to);
  const failed: StorageMigration['failed'][number][] = [];
  let migrated = 0;
  for await (const object of client.listAll(kind, { ...options, metadataOnly: true })) {
    const { namespace, name: own } = keyOf(object);
    try {
      await client.patch(kind, keyOf(object), mergePatch({}), options).catch(ignoreNotFound);
      migrated += 1;
    } catch (error) {
      if (!isStatusError(error)) throw error;
      failed.push({ object: namespace ? `${namespace}/${own}` : own, error });
    }
  }
  if (failed.length === 0) await forgetVersions(client, name, to, from, signal);
  return { definition: name, from, to, migrated, failed };
}

/**
 * Has a definition store another of its versions from now on, as a downgrade needs it: `migrateStorage` does the rest. Throws
 * `VERSION_NOT_SERVED` where clients could not read that version.
 */
export async function storeVersion(client: Client, name: string, version: string, signal?: AbortSignal): Promise<void> {
  const options = signal ? { signal } : {};
  await retryOnConflict(async () => {
    const { metadata, spec } = await client.get(kinds.CustomResourceDefinition, { name }, options);
    const versions = spec.versions ?? [];
    const served = versions.filter((each) => each.served).map((each) => each.name);
    if (!served.includes(version))
      throw new ControllerError(
        'VERSION_NOT_SERVED',
        `the definition ${name} does not serve ${version}; it serves ${served.join(', ')}`,
      );
    if (versions.some((each) => each.name === version && each.storage)) return;
    const patch = mergePatch({
      metadata: { resourceVersion: metadata.resourceVersion },
      spec: { versions: versions.map((each) => ({ ...each, storage: each.name === version })) },
    });
    await client.patch(kinds.CustomResourceDefinition, { name }, patch, options);
  });
}

function storedVersions({ spec, status }: CustomResourceDefinition): { to: string | undefined; from: string[] } {
  const to = spec.versions?.find(({ storage }) => storage)?.name;
  return { to, from: (status?.storedVersions ?? []).filter((version) => version !== to) };
}

/** The kind in a version that requests can name; the stored one need not be served. */
function servedKind({ metadata, spec }: CustomResourceDefinition, stored: string): KindName {
  const served = (spec.versions ?? []).filter((version) => version.served).map((version) => version.name);
  const version = served.includes(stored) ? stored : served[0];
  if (version === undefined)
    throw new ControllerError('VERSION_NOT_SERVED', `the definition ${metadata.name} serves no version`);
  const { group, names, scope } = spec;
  const apiVersion = formatApiVersion({ group, version });
  // With its plural, so that discovery is not asked: it may be older than the definition.
  const kind = { apiVersion, group, version, kind: names.kind, plural: names.plural, scope };
  return kind;
}

/** Not where another version came to be stored meanwhile. */
async function forgetVersions(
  client: Client,
  name: string,
  to: string,
  from: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const options = signal ? { signal } : {};
  await retryOnConflict(async () => {
    const definition = await client.get(kinds.CustomResourceDefinition, { name }, options);
    if (storedVersions(definition).to !== to) return;
    const { resourceVersion } = definition.metadata;
    const left = (definition.status?.storedVersions ?? []).filter((version) => !from.includes(version));
    const patch = mergePatch({ metadata: { resourceVersion }, status: { storedVersions: left } });
    await client.patchStatus(kinds.CustomResourceDefinition, { name }, patch, options);
  });
}
