import { type Client, kinds, mergePatch, strategicMergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped, requeueAfter } from '@tektite/controller';
import { formatTime } from '@tektite/meta';
import type { Node, Pod } from '@tektite/schema/kubernetes';
import type { RecordEvent } from '../component-events.ts';
import { signOfLife, silentConditions } from './node-silence.ts';
import { nodeTaints } from './node-taints.ts';

const graceMs = 50_000;

const podsByNode = ({ spec }: Pod): string[] => (spec?.nodeName ? [spec.nodeName] : []);

/** Notices when nothing is heard of a node any more, and keeps Pods from nodes that are not well. */
export function nodeLifecycleController(record: RecordEvent): ControllerDefinition {
  const leases = mapped(kinds.Lease, ({ metadata }) => [metadata.name ?? ''], { namespace: 'kube-node-lease' });
  const pods = mapped(kinds.Pod, () => [], { indexes: { node: podsByNode } });
  const heard = new Map<string, { readonly sign: string; readonly at: number }>();
  return defineController({
    name: 'node-lifecycle',
    kind: kinds.Node,
    sources: [leases, pods],
    gone: (key) => void heard.delete(key),
    async reconcile(node, { cache, client, clock, name }) {
      const now = clock.now();
      const lease = cache(leases).get(`kube-node-lease/${name}`);
      const sign = signOfLife(node, lease?.spec?.renewTime);
      const last = heard.get(name);
      const at = last?.sign === sign ? last.at : now;
      heard.set(name, { sign, at });
      const silent = now - at >= graceMs;
      const conditions = silent ? silentConditions(node, formatTime(now)) : undefined;
      let latest = node;
      if (conditions) {
        const { resourceVersion } = node.metadata;
        const patch = mergePatch({ metadata: { resourceVersion }, status: { conditions } });
        latest = await client.patchStatus(kinds.Node, { name }, patch);
        // The conditions that the node wrote are stale. This write is no heartbeat.
        heard.set(name, { sign: signOfLife(latest, lease?.spec?.renewTime), at });
        record(node, { reason: 'NodeNotReady', message: `Node ${name} status is now: NodeNotReady` });
        await markNotReady(client, cache(pods).byIndex('node', name), formatTime(now), record);
      }
      await taint(client, latest, formatTime(now));
      return requeueAfter(silent ? graceMs : at + graceMs - now);
    },
  });
}

async function taint(client: Client, node: Node, now: string): Promise<void> {
  const taints = nodeTaints(node, now);
  if (taints === node.spec?.taints || taints.length + (node.spec?.taints?.length ?? 0) === 0) return;
  const { name = '', resourceVersion } = node.metadata;
  const patch = mergePatch({ metadata: { resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } });
  await client.patch(kinds.Node, { name }, patch);
}

/** Endpoints must not send clients to a node that does not respond. */
async function markNotReady(client: Client, pods: readonly Pod[], now: string, record: RecordEvent): Promise<void> {
  for (const pod of pods) {
    const { namespace = '', name = '', uid } = pod.metadata;
    const conditions = pod.status?.conditions ?? [];
    if (!conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) continue;
    // This condition alone: the cache may be behind, and the others are the kubelet's.
    const condition = { type: 'Ready', status: 'False', lastTransitionTime: now };
    const patch = strategicMergePatch({ metadata: { uid }, status: { conditions: [condition] } });
    await client.patchStatus(kinds.Pod, { namespace, name }, patch).catch(() => undefined);
    record(pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  }
}
