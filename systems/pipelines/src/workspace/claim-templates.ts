import { createHash } from 'node:crypto';
import { controllerReference, type KubeObject } from '@tektite/meta';
import type { PersistentVolumeClaim } from '@tektite/schema/kubernetes';
import type { WorkspaceBinding } from '../kinds/workspace.ts';

/** The name of the claim that is made of a template: the same each time for the same run and workspace. */
export function claimName(
  { name, volumeClaimTemplate }: WorkspaceBinding,
  owner: Pick<KubeObject, 'metadata'>,
): string {
  const hash = createHash('sha256').update(`${name}${owner.metadata.uid}`).digest('hex').slice(0, 10);
  return `${volumeClaimTemplate?.metadata?.name || 'pvc'}-${hash}`;
}

/** The claims that have to be there before the Pod of a run: they are the run's, and go with it. */
export function claimsOf(bindings: readonly WorkspaceBinding[], owner: KubeObject): readonly PersistentVolumeClaim[] {
  return bindings.flatMap((binding) => {
    const { volumeClaimTemplate } = binding;
    if (!volumeClaimTemplate) return [];
    const { labels, annotations } = volumeClaimTemplate.metadata ?? {};
    return [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: claimName(binding, owner),
          namespace: owner.metadata.namespace ?? '',
          ...(labels ? { labels } : {}),
          ...(annotations ? { annotations } : {}),
          ownerReferences: [controllerReference(owner)],
        },
        ...(volumeClaimTemplate.spec ? { spec: volumeClaimTemplate.spec } : {}),
      },
    ];
  });
}

/** The bindings with the claims in the place of the templates. */
export function withClaims(bindings: readonly WorkspaceBinding[], owner: KubeObject): readonly WorkspaceBinding[] {
  return bindings.map((binding) => {
    if (!binding.volumeClaimTemplate) return binding;
    const { volumeClaimTemplate: _, ...rest } = binding;
    return { ...rest, persistentVolumeClaim: { claimName: claimName(binding, owner) } };
  });
}
