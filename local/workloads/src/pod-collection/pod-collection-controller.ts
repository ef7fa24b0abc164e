import { type Client, kinds, strategicMergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController, done, mapped, requeueAfter } from '@tektite/controller';
import { cacheKey, metadataOnly } from '@tektite/controller/cache';
import { formatTime, isStatusError } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import { hasEnded, podFate, surplusPods } from './decide.ts';

const defaultThreshold = 12_500;
const endedIndex = (pod: Pod): string[] => (hasEnded(pod) ? ['ended'] : []);

/**
 * Deletes Pods of deleted nodes, terminating Pods that were never scheduled, and the oldest of too many finished Pods.
 */
export function podCollectionController(threshold: number = defaultThreshold): ControllerDefinition {
  const pods = mapped(kinds.Pod, () => [], { indexes: { ended: endedIndex } });
  // Which Pods a node had, the cache of Pods knows; on a deletion all have to be asked.
  const nodes = mapped(kinds.Node, (_, own) => own.keys(), {
    transform: metadataOnly,
    predicate: ({ type }) => type === 'deleted',
  });
  const missing = new Map<string, number>();
  return defineController({
    name: 'pod-garbage-collector',
    kind: kinds.Pod,
    sources: [pods, nodes],
    // Most changes of a Pod are about its containers, and none of our business.
    predicate: (change) =>
      change.type !== 'modified' ||
      change.object.spec?.nodeName !== change.before.spec?.nodeName ||
      change.object.metadata.deletionTimestamp !== change.before.metadata.deletionTimestamp ||
      hasEnded(change.object) !== hasEnded(change.before),
    gone: (key) => void missing.delete(key),
    async reconcile(pod, { cache, client, clock, key }) {
      const nodeName = pod.spec?.nodeName;
      let nodeExists = true;
      if (nodeName && !cache(nodes).get(nodeName)) nodeExists = await exists(client, nodeName);
      if (nodeExists) missing.delete(key);
      else if (!missing.has(key)) missing.set(key, clock.now());
      const surplus = hasEnded(pod) && isSurplus(pod, cache(pods).byIndex('ended', 'ended'), threshold);
      const fate = podFate(pod, { now: clock.now(), nodeExists, missingSince: missing.get(key), surplus });
      if (fate.type === 'keep') return done;
      if (fate.type === 'wait') return requeueAfter(fate.milliseconds);
      const { uid } = pod.metadata;
      const { namespace = '', name = '' } = pod.metadata;
      try {
        if (fate.fail)
          await client.patchStatus(kinds.Pod, { namespace, name }, failed(pod, fate.fail, formatTime(clock.now())));
        const preconditions = uid ? { uid } : {};
        await client.delete(kinds.Pod, { namespace, name }, { gracePeriodSeconds: 0, preconditions });
      } catch (error) {
        if (!isStatusError(error, 'NotFound')) throw error;
      }
      return done;
    },
  });
}

function isSurplus(pod: Pod, ended: readonly Pod[], threshold: number): boolean {
  if (ended.length <= threshold) return false;
  const key = cacheKey(pod.metadata);
  return [...surplusPods(ended, threshold)].some(({ metadata }) => cacheKey(metadata) === key);
}

async function exists(client: Client, name: string): Promise<boolean> {
  return (await client.getOrUndefined(kinds.Node, { name })) !== undefined;
}

function failed(pod: Pod, { reason, message }: { readonly reason: string; readonly message: string }, now: string) {
  const condition = { type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime: now };
  const { uid } = pod.metadata;
  return strategicMergePatch({ metadata: { uid }, status: { phase: 'Failed', conditions: [condition] } });
}
