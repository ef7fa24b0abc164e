import { type Client, kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import {
  type ControllerDefinition,
  defineController,
  done,
  mapped,
  type Result,
  requeueAfter,
} from '@tektite/controller';
import { isStatusError, labelSelectorOf, ownerReference } from '@tektite/meta';
import type { Pod, StatefulSet } from '@tektite/schema/kubernetes';
import type { RecordEvent } from '../component-events.ts';
import { claim, sortClaims } from '../pods/claim.ts';
import { claimable, controllerKeys, orphanIndex } from '../pods/orphan-index.ts';
import { nextAvailableIn } from '../pods/pod-state.ts';
import { statefulSetNaming, syncRevision, truncateHistory } from '../revisions/controller-revisions.ts';
import { nextChanges, revisionOf, type SetChange, type SetView, statefulSetStatus } from './decide.ts';
import { claimName, ordinalOf, statefulClaims, statefulPod } from './stateful-pod.ts';

/** Keeps numbered Pods, each with its volume claims. */
export function statefulSetController(record: RecordEvent): ControllerDefinition {
  const pods = mapped(kinds.Pod, controllerKeys, { indexes: orphanIndex });
  const revisions = mapped(kinds.ControllerRevision, (revision, own) => controllerKeys(revision, own));
  return defineController({
    name: 'statefulset',
    kind: kinds.StatefulSet,
    sources: [pods, revisions],
    async reconcile(set, { cache, client, clock, writeStatus }): Promise<Result> {
      const selector = labelSelectorOf(set.spec?.selector);
      const isMember = (pod: Pod) => ordinalOf(set, pod) !== undefined;
      const claims = sortClaims(set, selector, claimable(cache(pods), set).filter(isMember));
      const mine = await claim(client, kinds.StatefulSet, set, kinds.Pod, claims);
      const known = cache(revisions).ownedBy(set);
      const update = await syncRevision(client, set, known, statefulSetNaming);
      const current = known.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
      const now = clock.now();
      const view: SetView = { set, pods: mine, current, update, now };
      for (const change of nextChanges(view)) await act(client, set, change, record);
      await writeStatus(set, statefulSetStatus(view));
      const used = new Set([current.metadata.name, update.metadata.name, ...mine.map(revisionOf)]);
      await truncateHistory(client, set, known, ({ metadata }) => used.has(metadata.name));
      const wait = nextAvailableIn(mine, set.spec?.minReadySeconds ?? 0, now);
      return wait === undefined ? done : requeueAfter(wait);
    },
  });
}

async function act(client: Client, set: StatefulSet, change: SetChange, record: RecordEvent): Promise<void> {
  if (change.type === 'create') return createPod(client, set, change, record);
  const { namespace = '', name = '', uid } = change.pod.metadata;
  if (change.scaledDown && set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete')
    await giveClaimsTo(client, set, change.pod);
  const deletion = client.delete(kinds.Pod, { namespace, name }, uid ? { preconditions: { uid } } : {});
  if (!(await deletion.catch(ignoreNotFound))) return;
  record(set, {
    reason: 'SuccessfulDelete',
    message: `delete Pod ${name} in StatefulSet ${set.metadata.name} successful`,
  });
}

async function createPod(
  client: Client,
  set: StatefulSet,
  { ordinal, revision }: Extract<SetChange, { type: 'create' }>,
  record: RecordEvent,
): Promise<void> {
  const pod = statefulPod(set, ordinal, revision);
  const { name = '' } = pod.metadata;
  const setName = set.metadata.name;
  for (const wanted of statefulClaims(set, name)) {
    try {
      await client.create(kinds.PersistentVolumeClaim, wanted);
      const message = `create Claim ${wanted.metadata.name} Pod ${name} in StatefulSet ${setName} success`;
      record(set, { reason: 'SuccessfulCreate', message });
    } catch (error) {
      // It was made for an earlier Pod of that number; the data is what this is all about.
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
  }
  try {
    await client.create(kinds.Pod, pod);
    record(set, { reason: 'SuccessfulCreate', message: `create Pod ${name} in StatefulSet ${setName} successful` });
  } catch (error) {
    if (isStatusError(error, 'AlreadyExists')) return;
    const message = `create Pod ${name} in StatefulSet ${setName} failed error: ${(error as Error).message}`;
    record(set, { type: 'Warning', reason: 'FailedCreate', message });
    throw error;
  }
}

/** The claims go with the Pod: once it is deleted, they have no owner left. */
async function giveClaimsTo(client: Client, set: StatefulSet, pod: Pod): Promise<void> {
  for (const template of set.spec?.volumeClaimTemplates ?? []) {
    const key = { namespace: pod.metadata.namespace ?? '', name: claimName(template, pod.metadata.name ?? '') };
    const patch = mergePatch({ metadata: { ownerReferences: [ownerReference(pod)] } });
    await client.patch(kinds.PersistentVolumeClaim, key, patch).catch(ignoreNotFound);
  }
}
