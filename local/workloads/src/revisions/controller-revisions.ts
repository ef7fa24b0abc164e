import { type Client, kinds, mergePatch, type NewObject, ignoreNotFound } from '@tektite/client';
import { controllerReference, equalJson, isStatusError, type Json, type KubeObject } from '@tektite/meta';
import type { ControllerRevision, PodTemplateSpec } from '@tektite/schema/kubernetes';
import { canonical, fnv1a } from '../deployments/template-hash.ts';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
export const hashLabel = 'controller.kubernetes.io/hash';

/** An owner that keeps earlier forms of its template. */
export interface RevisionedOwner extends KubeObject {
  readonly spec?: { readonly template?: PodTemplateSpec; readonly revisionHistoryLimit?: number };
  readonly status?: { readonly collisionCount?: number };
}

/** The data of a ControllerRevision: a patch that restores its template. */
function revisionData({ spec }: RevisionedOwner): Json {
  return { spec: { template: { ...spec?.template, $patch: 'replace' } } } as unknown as Json;
}

export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { $patch: _, ...template } =
    (data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } }).spec?.template ?? {};
  return template;
}

function hashOf(data: Json, collisionCount: number | undefined): string {
  const digits = String(fnv1a(canonical(data) + (collisionCount ? `#${collisionCount}` : '')));
  return [...digits].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

export function newRevision(owner: RevisionedOwner, revision: number): NewObject<ControllerRevision> {
  const data = revisionData(owner);
  const hash = hashOf(data, owner.status?.collisionCount);
  const { name = '', namespace = '', annotations } = owner.metadata;
  return {
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...owner.spec?.template?.metadata?.labels, [hashLabel]: hash },
      ...(annotations ? { annotations } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision,
  };
}

const byRevision = (a: ControllerRevision, b: ControllerRevision) => a.revision - b.revision;

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
  const number = (last?.revision ?? 0) + 1;
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
): Promise<ControllerRevision> {
  const step = revisionStep(owner, revisions);
  if (step.type === 'found') return step.revision;
  const namespace = owner.metadata.namespace ?? '';
  if (step.type === 'raise') {
    const { name = '', resourceVersion } = step.revision.metadata;
    const patch = mergePatch({ metadata: { resourceVersion }, revision: step.number });
    return client.patch(kinds.ControllerRevision, { namespace, name }, patch);
  }
  const wanted = newRevision(owner, step.number);
  try {
    return await client.create(kinds.ControllerRevision, wanted);
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
    return client.get(kinds.ControllerRevision, { namespace, name: wanted.metadata.name ?? '' });
  }
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
