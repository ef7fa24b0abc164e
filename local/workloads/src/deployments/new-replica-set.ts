import type { NewObject } from '@tektite/client';
import { controllerReference } from '@tektite/meta';
import type { ReplicaSet } from '@tektite/schema/kubernetes';
import { initialReplicas } from './decide.ts';
import { currentAnnotations, sizeAnnotations } from './revision.ts';
import type { Rollout } from './rollout.ts';
import { hashLabel, templateHash } from './template-hash.ts';

/** The ReplicaSet of a Deployment's current template. */
export function newReplicaSet(rollout: Rollout): NewObject<ReplicaSet> {
  const { deployment } = rollout;
  const { spec } = deployment;
  const template = spec?.template ?? {};
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const { name = '', namespace = '' } = deployment.metadata;
  const placeholder = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: {}, spec: { replicas: 0 } } as ReplicaSet;
  return {
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: { ...currentAnnotations(rollout), ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: initialReplicas(rollout, placeholder),
      ...(spec?.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      selector: { ...spec?.selector, matchLabels: { ...spec?.selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
