import { type Client, kinds, mergePatch, type NewObject, ignoreNotFound } from '@tektite/client';
import { controllerReference, equalJson, isStatusError, type Json, type KubeObject } from '@tektite/meta';
import type { ControllerRevision, PodTemplateSpec } from '@tektite/schema/kubernetes';
import { goJson } from '@tektite/go';
import { fnv1, safeEncode, templateHash } from '../deployments/template-hash.ts';

/** How a kind of owner names and labels its revisions. */
export interface RevisionNaming {
  /** The kind of the owner. */
  readonly kind: typeof kinds.StatefulSet | typeof kinds.DaemonSet;
  /** The label with the hash. */
  readonly label: string;
  hashOf(owner: RevisionedOwner, data: Json): string;
}

/** StatefulSets hash the data of the revision, by FNV-1, with the collision count in digits, as upstream does. */
export const statefulSetNaming: RevisionNaming = {
  kind: kinds.StatefulSet,
  label: 'controller.kubernetes.io/hash',
  hashOf: ({ status }, data) => safeEncode(String(fnv1(`${goJson(data)}${status?.collisionCount ?? 0}`))),
};

/** DaemonSets hash the template as Deployments do, and label the revision as they label its Pods. */
export const daemonSetNaming: RevisionNaming = {
  kind: kinds.DaemonSet,
  label: 'controller-revision-hash',
  hashOf: ({ spec, status }) => templateHash(spec?.template ?? {}, status?.collisionCount),
};

/** The longest prefix of a revision's name; the hash follows. */
const maxPrefix = 223;

/** An owner that keeps earlier forms of its template. */
export interface RevisionedOwner extends KubeObject {
  readonly spec?: { readonly template?: PodTemplateSpec; readonly revisionHistoryLimit?: number };
  readonly status?: { readonly collisionCount?: number };
}

/**
 * The data of a ControllerRevision: a patch that restores its template. Its keys are in Go's order: the real controller
 * manager compares bytes, and rolls Pods out again where they differ.
 */
function revisionData({ spec }: RevisionedOwner): Json {
  return JSON.parse(goJson({ spec: { template: { ...spec?.template, $patch: 'replace' } } })) as Json;
}

export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { $patch: _, ...template } =
    (data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } }).spec?.template ?? {};
  return template;
}

function newRevision(
  owner: RevisionedOwner,
  revision: number,
  { label, hashOf }: RevisionNaming,
): NewObject<ControllerRevision> {
  const data = revisionData(owner);
  const hash = hashOf(owner, data);
  const { name = '', namespace = '', annotations } = owner.metadata;
  return {
    metadata: {
      name: `${name.slice(0, maxPrefix)}-${hash}`,
      namespace,
      labels: { ...owner.spec?.template?.metadata?.labels, [label]: hash },
      ...(annotations ? { annotations } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision,
  };
}

const byRevision = (a: ControllerRevision, b: ControllerRevision) => Number(a.revision) - Number(b.revision);

/** Decides how the newest revision becomes the owner's template. */
export function revisionStep(
  owner: RevisionedOwner,
  revisions: readonly ControllerRevision[],
):
  | { readonly type: 'found' | 'raise'; readonly revision: ControllerRevision; readonly number: number }
  | { readonly type: 'create'; readonly number: number } {
  const sorted = revisions.toSorted(byRevision);
  const last = sorted.at(-1);
  const data = revisionData(owner);
  const same = sorted.findLast((each) => equalJson(each.data, data));
  const number = Number(last?.revision ?? 0) + 1;
  if (!same) return { type: 'create', number };
  return same === last
    ? { type: 'found', revision: same, number: same.revision }
    : { type: 'raise', revision: same, number };
}

/** The revision of the owner's template; made, or brought to the front, when it is not the newest. */
export async function syncRevision(
  client: Client,
  owner: RevisionedOwner,
  revisions: readonly ControllerRevision[],
  naming: RevisionNaming,
): Promise<ControllerRevision> {
  const step = revisionStep(owner, revisions);
  if (step.type === 'found') return step.revision;
  const namespace = owner.metadata.namespace ?? '';
  if (step.type === 'raise') {
    const { name = '', resourceVersion } = step.revision.metadata;
    const patch = mergePatch({ metadata: { resourceVersion }, revision: step.number });
    return client.patch(kinds.ControllerRevision, { namespace, name }, patch);
  }
  const wanted = newRevision(owner, step.number, naming);
  try {
    return await client.create(kinds.ControllerRevision, wanted);
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
    const existing = await client.get(kinds.ControllerRevision, { namespace, name: wanted.metadata.name ?? '' });
    if (equalJson(existing.data, wanted.data)) return existing;
    await countCollision(client, owner, naming);
    throw error;
  }
}

/** Another revision has the name: the next reconcile computes one with the new count, as upstream's does. */
async function countCollision(
  client: Client,
  { metadata, status }: RevisionedOwner,
  { kind }: RevisionNaming,
): Promise<void> {
  const { name = '', namespace = '', resourceVersion } = metadata;
  const collisionCount = (status?.collisionCount ?? 0) + 1;
  const patch = mergePatch({ metadata: { resourceVersion }, status: { collisionCount } });
  await client.patchStatus<KubeObject>(kind, { namespace, name }, patch);
}

/** Deletes the oldest unused revisions beyond the limit. */
export async function truncateHistory(
  client: Client,
  owner: RevisionedOwner,
  revisions: readonly ControllerRevision[],
  isUsed: (revision: ControllerRevision) => boolean,
): Promise<void> {
  const limit = owner.spec?.revisionHistoryLimit ?? 10;
  const unused = revisions.filter((revision) => !isUsed(revision)).toSorted(byRevision);
  for (const { metadata } of unused.slice(0, Math.max(0, unused.length - limit))) {
    const { namespace = '', name = '' } = metadata;
    await client.delete(kinds.ControllerRevision, { namespace, name }).catch(ignoreNotFound);
  }
}
