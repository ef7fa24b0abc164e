import { type Client, kinds, mergePatch } from '@tektite/client';
import { defineController, Manager } from '@tektite/controller';
import { formatMicroTime, formatTime, isStatusError, sleep } from '@tektite/meta';
import { decidePod, type PodScript } from './decide-pod.ts';

const heartbeatMs = 10_000;
const amounts = { cpu: '64', memory: '256Gi', pods: '500' };

/**
 * A node without files, processes or images, so that a run can be repeated: it registers, renews its Lease, and reports the status that
 * Pods would have whose containers run as `tektite.dev/simulate` or the script says.
 */
export async function startSimulatedNode(client: Client, name: string, script?: PodScript): Promise<void> {
  await untilDone(client, () => register(client, name));
  const manager = new Manager(client, { name, graceMs: 0 });
  manager.add(podController(client, name, script));
  manager.start();
  void beat(client, name);
}

function podController(client: Client, nodeName: string, script: PodScript | undefined) {
  return defineController({
    name: 'pods',
    kind: kinds.Pod,
    concurrency: 16,
    async reconcile(pod, { clock, namespace = '', name }) {
      if (pod.spec?.nodeName !== nodeName) return undefined;
      const key = { namespace, name };
      try {
        if (pod.metadata.deletionTimestamp) {
          const { uid } = pod.metadata;
          const preconditions = uid === undefined ? {} : { preconditions: { uid } };
          await client.delete(kinds.Pod, key, { gracePeriodSeconds: 0, ...preconditions });
          return undefined;
        }
        const { status, nextMs } = decidePod(pod, clock.now(), script);
        if (status) await client.updateStatus(kinds.Pod, { ...pod, status });
        return nextMs === undefined ? undefined : { type: 'requeueAfter', milliseconds: Math.max(1, nextMs) };
      } catch (error) {
        if (isStatusError(error, 'NotFound')) return undefined;
        throw error;
      }
    },
  });
}

async function register(client: Client, name: string): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name };
  if (!(await client.getOrUndefined(kinds.Node, { name })))
    await client.create(kinds.Node, { metadata: { name, labels } });
  await reportReady(client, name);
}

async function reportReady(client: Client, name: string): Promise<void> {
  const { status } = await client.get(kinds.Node, { name });
  if (status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True')) return;
  const now = formatTime(client.clock.now());
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: now, lastTransitionTime: now },
  ];
  await client.patchStatus(
    kinds.Node,
    { name },
    mergePatch({ status: { allocatable: amounts, capacity: amounts, conditions } }),
  );
}

async function beat(client: Client, name: string): Promise<void> {
  for (;;) {
    await sleep(client.clock, heartbeatMs);
    await renew(client, name).catch(() => undefined);
  }
}

async function renew(client: Client, name: string): Promise<void> {
  const spec = { holderIdentity: name, renewTime: formatMicroTime(client.clock.now()), leaseDurationSeconds: 40 };
  await client.apply(kinds.Lease, { metadata: { namespace: 'kube-node-lease', name }, spec }, { force: true });
  await reportReady(client, name);
}

async function untilDone(client: Client, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch {
      await sleep(client.clock, 1000);
    }
  }
}
