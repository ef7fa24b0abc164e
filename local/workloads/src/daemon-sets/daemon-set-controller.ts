import { kinds, ignoreNotFound } from '@tektite/client';
import {
  type ControllerDefinition,
  defineController,
  done,
  mapped,
  type Result,
  requeueAfter,
} from '@tektite/controller';
import { equalJson, labelSelectorOf } from '@tektite/meta';
import type { RecordEvent } from '../component-events.ts';
import { claim, sortClaims } from '../pods/claim.ts';
import { claimable, controllerKeys, orphanIndex } from '../pods/orphan-index.ts';
import { nextAvailableIn } from '../pods/pod-state.ts';
import { slowStart } from '../pods/slow-start.ts';
import { daemonSetNaming, syncRevision, truncateHistory } from '../revisions/controller-revisions.ts';
import { daemonPod, revisionHash, revisionLabel } from './daemon-pod.ts';
import { planDaemonSet } from './decide.ts';

/** Keeps a Pod on every node that will have it. */
export function daemonSetController(record: RecordEvent): ControllerDefinition {
  const pods = mapped(kinds.Pod, controllerKeys, { indexes: orphanIndex });
  const revisions = mapped(kinds.ControllerRevision, (revision, own) => controllerKeys(revision, own));
  const nodes = mapped(kinds.Node, (_, own) => own.keys(), {
    predicate: (change) =>
      change.type !== 'modified' ||
      !equalJson(change.object.spec?.taints, change.before.spec?.taints) ||
      !equalJson(change.object.metadata.labels, change.before.metadata.labels),
  });
  return defineController({
    name: 'daemonset',
    kind: kinds.DaemonSet,
    sources: [pods, revisions, nodes],
    async reconcile(set, { cache, client, clock, namespace = '', writeStatus }): Promise<Result> {
      const claims = sortClaims(set, labelSelectorOf(set.spec?.selector), claimable(cache(pods), set));
      const mine = await claim(client, kinds.DaemonSet, set, kinds.Pod, claims);
      const known = cache(revisions).ownedBy(set);
      const revision = await syncRevision(client, set, known, daemonSetNaming);
      const now = clock.now();
      const plan = planDaemonSet({ set, nodes: cache(nodes).list(), pods: mine, revision, now });
      for (const { pod, failed } of plan.delete) {
        const { name = '', uid } = pod.metadata;
        const message = `Found failed daemon pod ${namespace}/${name} on node ${pod.spec?.nodeName}, will try to kill it`;
        if (failed) record(set, { type: 'Warning', reason: 'FailedDaemonPod', message });
        const deletion = client.delete(kinds.Pod, { namespace, name }, uid ? { preconditions: { uid } } : {});
        if (await deletion.catch(ignoreNotFound))
          record(set, { reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
      }
      const { failure } = await slowStart(plan.create.length, async (index) => {
        try {
          const pod = await client.create(kinds.Pod, daemonPod(set, plan.create[index] ?? '', revision));
          record(set, { reason: 'SuccessfulCreate', message: `Created pod: ${pod.metadata.name}` });
        } catch (error) {
          record(set, {
            type: 'Warning',
            reason: 'FailedCreate',
            message: `Error creating: ${(error as Error).message}`,
          });
          throw error;
        }
      });
      await writeStatus(set, plan.status);
      if (failure !== undefined) throw failure;
      const used = new Set([revisionHash(revision), ...mine.map(({ metadata }) => metadata.labels?.[revisionLabel])]);
      await truncateHistory(client, set, known, (each) => used.has(revisionHash(each)));
      const wait = nextAvailableIn(mine, set.spec?.minReadySeconds ?? 0, now);
      return wait === undefined ? done : requeueAfter(wait);
    },
  });
}
