import { kinds, strategicMergePatch, ignoreNotFound } from '@tektite/client';
import { type ControllerDefinition, defineController, done, mapped, requeueAfter } from '@tektite/controller';
import { equalJson, formatTime } from '@tektite/meta';
import type { RecordEvent } from '../component-events.ts';
import { evictionTime } from './eviction-time.ts';

/** Evicts Pods from nodes whose taints they do not tolerate, after their `tolerationSeconds`. */
export function taintEvictionController(record: RecordEvent): ControllerDefinition {
  const nodes = mapped(kinds.Node, (_, own) => own.keys(), {
    predicate: (change) =>
      change.type === 'modified' && !equalJson(change.object.spec?.taints, change.before.spec?.taints),
  });
  return defineController({
    name: 'taint-eviction',
    kind: kinds.Pod,
    sources: [nodes],
    predicate: (change) =>
      change.type !== 'modified' ||
      change.object.spec?.nodeName !== change.before.spec?.nodeName ||
      !equalJson(change.object.spec?.tolerations, change.before.spec?.tolerations),
    async reconcile(pod, { cache, client, clock, namespace = '', name }) {
      const node = pod.spec?.nodeName ? cache(nodes).get(pod.spec.nodeName) : undefined;
      if (!node || pod.metadata.deletionTimestamp !== undefined) return done;
      const now = clock.now();
      const due = evictionTime(pod, node.spec?.taints ?? [], now);
      if (due === undefined) return done;
      if (due > now) return requeueAfter(due - now);
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
        lastTransitionTime: formatTime(now),
      };
      record(pod, { reason: 'TaintManagerEviction', message: `Marking for deletion Pod ${namespace}/${name}` });
      const key = { namespace, name };
      const { uid } = pod.metadata;
      await client
        .patchStatus(kinds.Pod, key, strategicMergePatch({ metadata: { uid }, status: { conditions: [condition] } }))
        .then(() => client.delete(kinds.Pod, key, uid ? { preconditions: { uid } } : {}))
        .catch(ignoreNotFound);
      return done;
    },
  });
}
