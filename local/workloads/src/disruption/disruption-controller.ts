import { kinds } from '@tektite/client';
import {
  cached,
  type ControllerDefinition,
  defineController,
  done,
  mapped,
  type Result,
  requeueAfter,
} from '@tektite/controller';
import { controllerOf, formatTime, labelSelectorOf } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import { planBudget } from './decide.ts';

/** Keeps the status of PodDisruptionBudgets, by which the API server decides about evictions. */
export function disruptionController(): ControllerDefinition {
  const pods = mapped(kinds.Pod, ({ metadata }, own) => {
    const prefix = `${metadata.namespace}/`;
    return [...own.keys()].filter((key) => key.startsWith(prefix));
  });
  const replicaSets = cached(kinds.ReplicaSet);
  const deployments = cached(kinds.Deployment);
  const statefulSets = cached(kinds.StatefulSet);
  return defineController({
    name: 'disruption',
    kind: kinds.PodDisruptionBudget,
    sources: [pods, replicaSets, deployments, statefulSets],
    async reconcile(budget, { cache, clock, namespace = '', writeStatus }): Promise<Result> {
      const { matches } = labelSelectorOf(budget.spec?.selector);
      const selected = cache(pods)
        .list(namespace)
        .filter(
          ({ metadata, status }) =>
            matches(metadata.labels) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
        );
      /** The controller of a Pod and its desired replicas. A Pod without a controller counts for itself. */
      const wantedBy = (pod: Pod): readonly [string, number] => {
        const controller = controllerOf(pod);
        const key = `${namespace}/${controller?.name}`;
        const replicaSet = controller?.kind === 'ReplicaSet' ? cache(replicaSets).get(key) : undefined;
        const deploymentRef = replicaSet && controllerOf(replicaSet);
        const deployment = deploymentRef ? cache(deployments).get(`${namespace}/${deploymentRef.name}`) : undefined;
        const set = controller?.kind === 'StatefulSet' ? cache(statefulSets).get(key) : undefined;
        const owner = deployment ?? replicaSet ?? set;
        return owner ? [owner.metadata.uid ?? '', owner.spec?.replicas ?? 1] : [pod.metadata.uid ?? '', 1];
      };
      const scales = new Map(selected.map(wantedBy));
      const scale = [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
      const milliseconds = clock.now();
      const plan = planBudget(budget, selected, scale, { milliseconds, text: formatTime(milliseconds) });
      await writeStatus(budget, plan.status);
      return plan.wakeAt === undefined ? done : requeueAfter(plan.wakeAt - milliseconds);
    },
  });
}
