import { type Client, kinds, strategicMergePatch, ignoreNotFound } from '@tektite/client';
import type { Pod } from '@tektite/schema/kubernetes';
import type { RecordEvent } from '../component-events.ts';
import type { Preemption } from './preemption.ts';

/** Has Pods go in peace, and says for whom. */
export async function evictVictims(
  client: Client,
  preemptor: Pod,
  { node, victims }: Preemption,
  now: string,
  record: RecordEvent,
): Promise<void> {
  for (const victim of victims) {
    if (victim.metadata.deletionTimestamp !== undefined) continue;
    const { namespace = '', name = '', uid } = victim.metadata;
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      lastTransitionTime: now,
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    };
    const patch = strategicMergePatch({ metadata: { uid }, status: { conditions: [condition] } });
    const evicted = await client
      .patchStatus(kinds.Pod, { namespace, name }, patch)
      .then(() => client.delete(kinds.Pod, { namespace, name }, uid ? { preconditions: { uid } } : {}))
      .catch(ignoreNotFound);
    if (!evicted) continue;
    const message = `Preempted by pod ${preemptor.metadata.uid} on node ${node}`;
    record(victim, { reason: 'Preempted', message, action: 'Preempting', related: preemptor });
  }
}
