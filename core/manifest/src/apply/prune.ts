import { type ApiResource, type Client, keyOf, ignoreNotFound, retryOnConflict } from '@tektite/client';
import { controllerOf, type DynamicObject, formatGroupKind } from '@tektite/meta';
import { groupKindOf, referenceTo } from '../object-identity.ts';
import { type ApplySet, applySetId, partOfLabel, type SetContents } from '../set/apply-set.ts';
import type { ObjectResult } from './apply-result.ts';
import { explainFailure } from './explain-failure.ts';
import { inParallel } from '../in-parallel.ts';
import { phaseNumber } from './phase.ts';

/** Kinds that hold what cannot be made again. Pruned only when named. */
const preciousKinds = [
  'Namespace',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'CustomResourceDefinition.apiextensions.k8s.io',
];

export interface PruneOptions {
  /** Kinds to prune though they hold data: `PersistentVolumeClaim`, or `*`. */
  readonly alsoKinds?: readonly string[];
  /** Default `Background`. */
  readonly propagation?: 'Background' | 'Foreground';
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** An object of a set that is not in its manifest any more. */
export interface PruneCandidate {
  readonly object: DynamicObject;
  /** Why it stays, if it does. */
  readonly kept?: string;
}

/** The objects of the set that were not applied, in the order of deletion. */
export async function pruneCandidates(
  client: Client,
  set: ApplySet,
  contents: SetContents,
  appliedUids: ReadonlySet<string>,
  options: PruneOptions = {},
): Promise<readonly PruneCandidate[]> {
  const members = await membersOf(client, set, contents, options.signal);
  return members
    .filter(({ metadata }) => !appliedUids.has(metadata.uid ?? '') && !metadata.deletionTimestamp)
    .map((object) => {
      const kept = reasonToKeep(object, options.alsoKinds ?? []);
      return kept ? { object, kept } : { object };
    })
    .sort((a, b) => phaseNumber(b.object) - phaseNumber(a.object));
}

/** How many lists are asked for at once. */
const listsAtOnce = 4;

/** All live objects with the label of the set, of the kinds and namespaces its parent names. */
export async function membersOf(
  client: Client,
  set: ApplySet,
  contents: SetContents,
  signal?: AbortSignal,
): Promise<readonly DynamicObject[]> {
  const { resources } = await client.discovery.all();
  const lists = contents.groupKinds.flatMap((groupKind) => {
    const resource = resources.find(({ group, kind }) => formatGroupKind(group, kind) === groupKind);
    // A deleted definition has no objects left.
    return resource ? listsOf(resource, set, contents) : [];
  });
  const selection = { labelSelector: `${partOfLabel}=${applySetId(set)}`, ...(signal ? { signal } : {}) };
  const members = new Map<MemberList, DynamicObject[]>(lists.map((list) => [list, []]));
  await inParallel(lists, listsAtOnce, async (list) => {
    const { kind, namespace } = list;
    for await (const object of client.listAll(kind, { ...selection, ...(namespace ? { namespace } : {}) }))
      members.get(list)?.push(object);
  });
  return [...members.values()].flat();
}

interface MemberList {
  readonly kind: { readonly apiVersion: string; readonly kind: string };
  readonly namespace: string;
}

function listsOf(resource: ApiResource, set: ApplySet, contents: SetContents): readonly MemberList[] {
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  const kind = { apiVersion, kind: resource.kind };
  const namespaces = resource.scope === 'Cluster' ? [''] : [set.namespace, ...contents.namespaces].filter(Boolean);
  return namespaces.map((namespace) => ({ kind, namespace }));
}

function reasonToKeep(object: DynamicObject, alsoKinds: readonly string[]): string | undefined {
  const { annotations = {} } = object.metadata;
  if (annotations['manifests.dev/prune'] === 'disabled') return 'its annotation manifests.dev/prune is disabled';
  if (annotations['manifests.dev/lifecycle'] === 'keep') return 'its annotation manifests.dev/lifecycle is keep';
  const kind = groupKindOf(object);
  const asked = alsoKinds.includes('*') || alsoKinds.includes(object.kind) || alsoKinds.includes(kind);
  if (preciousKinds.includes(kind) && !asked) return `a ${object.kind} is pruned only when its kind is named`;
  const controller = controllerOf(object);
  return controller ? `${controller.kind} ${controller.name} controls it` : undefined;
}

const attempts = 3;

type Pruned = Pick<ObjectResult, 'action' | 'reason' | 'error'>;

const alreadyDeleted: Pruned = { action: 'pruned', reason: 'it is already deleted' };

/** Deletes what left the set, if it is still the same. */
export async function pruneObject(client: Client, candidate: PruneCandidate, options: PruneOptions): Promise<Pruned> {
  const { kept, object } = candidate;
  if (kept) return { action: 'kept', reason: kept };
  const prune = async (attempt: number): Promise<Pruned> => {
    const now = attempt === 1 ? object : await client.get(object, keyOf(object)).catch(() => undefined);
    // Another object of that name was created, or it was taken out of the set.
    if (!now || now.metadata.uid !== object.metadata.uid) return alreadyDeleted;
    if (now.metadata.labels?.[partOfLabel] !== object.metadata.labels?.[partOfLabel])
      return { action: 'kept', reason: 'it was taken out of the set' };
    const { uid = '', resourceVersion = '' } = now.metadata;
    const deleted = await client
      .delete(object, keyOf(object), {
        propagationPolicy: options.propagation ?? 'Background',
        preconditions: { uid, resourceVersion },
        ...(options.dryRun ? { dryRun: true } : {}),
        ...(options.signal ? { signal: options.signal } : {}),
      })
      .catch(ignoreNotFound);
    return deleted ? { action: 'pruned', reason: 'it is not in the set any more' } : alreadyDeleted;
  };
  try {
    return await retryOnConflict(prune, { attempts });
  } catch (error) {
    return { action: 'failed', error: explainFailure(error, referenceTo(object)) };
  }
}
