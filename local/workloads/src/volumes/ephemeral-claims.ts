import { kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import { controllerReference, isStatusError } from '@tektite/meta';
import type { RecordEvent } from '../component-events.ts';

/** Makes the claims of volumes that live as long as their Pod. */
export function ephemeralClaims(record: RecordEvent): ControllerDefinition {
  const claims = mapped(kinds.PersistentVolumeClaim, ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter(({ kind }) => kind === 'Pod')
      .map(({ name }) => `${metadata.namespace}/${name}`),
  );
  return defineController({
    name: 'ephemeral-volume',
    kind: kinds.Pod,
    sources: [claims],
    predicate: ({ object }) => object.spec?.volumes?.some(({ ephemeral }) => ephemeral) ?? false,
    async reconcile(pod, { cache, client, namespace = '' }) {
      if (pod.metadata.deletionTimestamp !== undefined) return;
      for (const { name: volume, ephemeral } of pod.spec?.volumes ?? []) {
        const template = ephemeral?.volumeClaimTemplate;
        if (!template) continue;
        const name = `${pod.metadata.name}-${volume}`;
        const existing = cache(claims).get(`${namespace}/${name}`);
        if (existing?.metadata.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid)) continue;
        if (existing) {
          const message = `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`;
          record(pod, { type: 'Warning', reason: 'EphemeralVolumeConflict', message });
          continue;
        }
        const { labels, annotations } = template.metadata ?? {};
        try {
          await client.create(kinds.PersistentVolumeClaim, {
            metadata: {
              namespace,
              name,
              ...(labels ? { labels } : {}),
              ...(annotations ? { annotations } : {}),
              ownerReferences: [controllerReference(pod)],
            },
            ...(template.spec ? { spec: template.spec } : {}),
          });
        } catch (error) {
          if (!isStatusError(error, 'AlreadyExists')) throw error;
        }
      }
    },
  });
}
