import type { Configuration } from '@tektite/client';
import { type Condition, controllerReference, isConditionTrue, setCondition } from '@tektite/meta';
import type { Deployment, Pod } from '@tektite/schema/kubernetes';
import type { Memcached } from './memcached.ts';

/** The Deployment that a Memcached wants. Says all it has an opinion on, and nothing else: the rest is others'. */
export function deploymentFor(memcached: Memcached): Configuration<Deployment> {
  const { name = '', namespace = '' } = memcached.metadata;
  const { size, port, image = 'memcached:1.6' } = memcached.spec;
  const labels = { 'app.kubernetes.io/name': 'memcached', 'app.kubernetes.io/instance': name };
  return {
    metadata: { name, namespace, labels, ownerReferences: [controllerReference(memcached)] },
    spec: {
      replicas: size,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'memcached',
              image,
              command: ['memcached', '--memory-limit=64', '--extended=modern', `--port=${port}`],
              ports: [{ containerPort: port, name: 'memcached' }],
            },
          ],
        },
      },
    },
  };
}

/** The status of a Memcached, from its observed Deployment and Pods. */
export function statusFor(
  memcached: Memcached,
  deployment: Deployment | undefined,
  pods: readonly Pod[],
  now: string,
): NonNullable<Memcached['status']> {
  const ready = deployment?.status?.readyReplicas ?? 0;
  const { size } = memcached.spec;
  const available: Condition = {
    type: 'Available',
    status: ready >= size ? 'True' : 'False',
    reason: ready >= size ? 'Reconciled' : 'Scaling',
    message: `${ready} of ${size} nodes are ready`,
    observedGeneration: memcached.metadata.generation ?? 0,
  };
  const serving = pods.filter(({ status }) => isConditionTrue(status?.conditions as Condition[] | undefined, 'Ready'));
  return {
    nodes: serving.map(({ metadata }) => metadata.name ?? '').sort(),
    conditions: setCondition(memcached.status?.conditions ?? [], available, now),
  };
}
