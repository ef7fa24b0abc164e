import { kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, every, mapped, type SourceTarget } from '@tektite/controller';
import { metadataOnly } from '@tektite/controller/cache';
import type { KubeObject } from '@tektite/meta';
import { countUsage } from './count-usage.ts';

const recountMs = 300_000;

function quotasNear({ metadata }: Pick<KubeObject, 'metadata'>, own: SourceTarget): string[] {
  const prefix = `${metadata.namespace}/`;
  return [...own.keys()].filter((key) => key.startsWith(prefix));
}

/** Recalculates quota usage. Admission counts up; this controller counts down and corrects drift. */
export function quotaController(): ControllerDefinition {
  const gone = { transform: metadataOnly, predicate: ({ type }: { readonly type: string }) => type === 'deleted' };
  const pods = mapped(kinds.Pod, (pod, own) => quotasNear(pod, own), {
    predicate: (change) =>
      change.type === 'deleted' ||
      (change.type === 'modified' && change.object.status?.phase !== change.before.status?.phase),
  });
  return defineController({
    name: 'resourcequota',
    kind: kinds.ResourceQuota,
    sources: [
      pods,
      mapped(kinds.Service, quotasNear, gone),
      mapped(kinds.ConfigMap, quotasNear, gone),
      mapped(kinds.Secret, quotasNear, gone),
      mapped(kinds.PersistentVolumeClaim, quotasNear, gone),
      every(recountMs),
    ],
    async reconcile(quota, { client, writeStatus }) {
      if (quota.metadata.deletionTimestamp !== undefined) return;
      const hard = quota.spec?.hard ?? {};
      const used = await countUsage(client, quota);
      await writeStatus(quota, Object.keys(hard).length > 0 ? { hard, used } : {});
    },
  });
}
