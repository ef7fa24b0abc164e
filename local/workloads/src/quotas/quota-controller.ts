import { kinds } from '@tektite/client';
import {
  type Change,
  type ControllerDefinition,
  defineController,
  done,
  every,
  mapped,
  requeueAfter,
  type Result,
  type SourceTarget,
} from '@tektite/controller';
import { metadataOnly } from '@tektite/controller/cache';
import { equalJson, type KubeObject } from '@tektite/meta';
import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '@tektite/schema/kubernetes';
import { countUsage } from './count-usage.ts';
import { chargeSettlesIn, isLower } from './recent-charge.ts';

const recountMs = 300_000;

function quotasNear({ metadata }: Pick<KubeObject, 'metadata'>, own: SourceTarget): string[] {
  const prefix = `${metadata.namespace}/`;
  return [...own.keys()].filter((key) => key.startsWith(prefix));
}

const isDeletion = ({ type }: { readonly type: string }): boolean => type === 'deleted';

/** Updates can free what a Service or a claim takes: node ports, a load balancer, storage. */
function changesSpec(change: Change<Service> | Change<PersistentVolumeClaim>): boolean {
  return isDeletion(change) || (change.type === 'modified' && !equalJson(change.object.spec, change.before.spec));
}

/** Pods stop counting when they end; a changed spec (the generation shows it) may ask for less or move between scopes. */
function changesUsage(change: Change<Pod>): boolean {
  if (change.type !== 'modified') return isDeletion(change);
  const { object, before } = change;
  return object.status?.phase !== before.status?.phase || object.metadata.generation !== before.metadata.generation;
}

/** Admission writes `status.used` with every charge, and is right to. Only new limits need a recount. */
function changesLimits(change: Change<ResourceQuota>): boolean {
  return change.type !== 'modified' || !equalJson(change.object.spec, change.before.spec);
}

/** The managed fields are kept: they show when admission charged the quota. */
const whole = (quota: ResourceQuota): ResourceQuota => quota;

/**
 * Recalculates quota usage. Admission counts up; this controller counts down and corrects drift.
 *
 * Guarantees: usage is never lowered while a charged object may still be on its way into the storage, or quotas could be
 * exceeded by requests that follow each other closely.
 */
export function quotaController(): ControllerDefinition {
  const deleted = { predicate: isDeletion };
  const deletedMetadata = { transform: metadataOnly, predicate: isDeletion };
  return defineController<ResourceQuota>({
    name: 'resourcequota',
    kind: kinds.ResourceQuota,
    transform: whole,
    predicate: changesLimits,
    sources: [
      mapped(kinds.Pod, quotasNear, { predicate: changesUsage }),
      mapped(kinds.Service, quotasNear, { predicate: changesSpec }),
      mapped(kinds.PersistentVolumeClaim, quotasNear, { predicate: changesSpec }),
      mapped(kinds.ConfigMap, quotasNear, deletedMetadata),
      mapped(kinds.Secret, quotasNear, deletedMetadata),
      mapped(kinds.ReplicationController, quotasNear, deleted),
      mapped(kinds.ReplicaSet, quotasNear, deleted),
      mapped(kinds.Deployment, quotasNear, deleted),
      mapped(kinds.StatefulSet, quotasNear, deleted),
      mapped(kinds.DaemonSet, quotasNear, deleted),
      mapped(kinds.Job, quotasNear, deleted),
      mapped(kinds.CronJob, quotasNear, deleted),
      every(recountMs),
    ],
    async reconcile(quota, { client, clock, writeStatus }): Promise<Result> {
      if (quota.metadata.deletionTimestamp !== undefined) return done;
      const hard = quota.spec?.hard ?? {};
      const used = await countUsage(client, quota);
      const wait = isLower(used, quota.status?.used) ? chargeSettlesIn(quota, clock.now()) : 0;
      if (wait > 0) return requeueAfter(wait);
      await writeStatus(quota, Object.keys(hard).length > 0 ? { hard, used } : {});
      return done;
    },
  });
}
