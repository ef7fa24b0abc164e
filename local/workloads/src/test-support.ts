import { type Client, kinds, mergePatch } from '@tektite/client';
import { defineController, Manager } from '@tektite/controller';
import { metadataTransport } from '@tektite/controller/cache';
import { formatMicroTime, formatTime, isStatusError } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import { type ControlPlane, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { startWorkloads } from './start-workloads.ts';
import type { WorkloadsOptions } from './workloads-options.ts';

/** The script of a started Pod: it runs, and perhaps completes after a while. */
export type PodScript = (pod: Pod) => {
  readonly exitCode?: number;
  readonly afterMs?: number;
  readonly ready?: boolean;
};

/**
 * Stands in for a kubelet: whatever Pod has a node is Running and Ready at once, and ends as the script says. It runs no
 * process and knows no probes.
 */
export function fakeKubelet(client: Client, script: PodScript = () => ({})): Manager {
  const manager = new Manager(client, { name: 'fake-kubelet', graceMs: 0 });
  manager.add(
    defineController({
      name: 'fake-kubelet',
      kind: kinds.Pod,
      concurrency: 16,
      async reconcile(pod, { clock, namespace = '', name }) {
        const key = { namespace, name };
        const { exitCode, afterMs = 0, ready = true } = script(pod);
        const now = formatTime(clock.now());
        try {
          if (!pod.spec?.nodeName || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') {
            if (pod.metadata.deletionTimestamp && pod.spec?.nodeName)
              await client.delete(kinds.Pod, key, { gracePeriodSeconds: 0 });
            return undefined;
          }
          if (pod.metadata.deletionTimestamp)
            return void (await client.delete(kinds.Pod, key, { gracePeriodSeconds: 0 }));
          const started = pod.status?.startTime ? Date.parse(pod.status.startTime) : undefined;
          if (started === undefined || (exitCode === undefined && ready !== isReady(pod)))
            await client.patchStatus(kinds.Pod, key, mergePatch({ status: running(pod, ready, now) }));
          if (exitCode === undefined) return undefined;
          const left = (started ?? clock.now()) + afterMs - clock.now();
          if (left > 0) return { type: 'requeueAfter', milliseconds: left };
          await client.patchStatus(kinds.Pod, key, mergePatch({ status: ended(pod, exitCode, now) }));
        } catch (error) {
          if (!isStatusError(error, 'NotFound')) throw error;
        }
        return undefined;
      },
    }),
  );
  return manager.start();
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

function running(pod: Pod, ready: boolean, now: string): object {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type === 'PodScheduled');
  const condition = { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: now };
  const podIP = '10.1.0.1';
  return {
    phase: 'Running',
    startTime: pod.status?.startTime ?? now,
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: [...others, condition],
  };
}

function ended(pod: Pod, exitCode: number, now: string): object {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type === 'PodScheduled');
  const condition = { type: 'Ready', status: 'False', reason: 'PodCompleted', lastTransitionTime: now };
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: [...others, condition],
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode, startedAt: now, finishedAt: now } },
    })),
  };
}

export interface TestCluster extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly clock: VirtualClock;
  /** Lets time pass until nothing more happens for a while. */
  settle(milliseconds?: number): Promise<void>;
}

export interface TestClusterOptions extends Partial<WorkloadsOptions> {
  readonly script?: PodScript;
  /** Garbage collection gets metadata alone, as over a network. */
  readonly metadata?: boolean;
  /** Default one, `node-1`. */
  readonly nodes?: readonly string[];
}

/** A control plane in virtual time with all controllers of this room, some nodes, and a stand-in for their kubelets. */
export async function testCluster({
  script,
  metadata,
  nodes = ['node-1'],
  ...options
}: TestClusterOptions = {}): Promise<TestCluster> {
  const clock = virtualClock();
  const plane = await startControlPlane({ clock });
  const client = plane.clientFor(
    { name: 'controllers', groups: ['system:masters'] },
    { fieldManager: 'kube-controller-manager' },
  );
  for (const name of nodes) await createNode(plane.client, name);
  const extra = metadata ? { metadataClient: plane.clientFor(metadataTransport(plane.transport())) } : {};
  const workloads = await clock.until(startWorkloads({ client, ...extra, ...options }));
  const kubelet = fakeKubelet(plane.clientFor({ name: 'kubelet', groups: ['system:masters'] }), script);
  const beating = renewLeases(plane.client);
  const close = async () => {
    beating[Symbol.dispose]();
    await clock.until(Promise.all([workloads.stop(), kubelet.stop()]));
    await plane.close();
  };
  return {
    plane,
    client: plane.client,
    clock,
    settle: (milliseconds = 3000) => clock.advance(milliseconds),
    [Symbol.asyncDispose]: close,
  };
}

/** Renews the Leases of nodes, except those with the annotation `test/silent`. */
export function renewLeases(client: Client): Disposable {
  let timer: Disposable | undefined;
  const renew = async (): Promise<void> => {
    const spec = { renewTime: formatMicroTime(client.clock.now()), leaseDurationSeconds: 40 };
    for (const { metadata } of (await client.list(kinds.Node)).items) {
      if (metadata.annotations?.['test/silent']) continue;
      await client.apply(
        kinds.Lease,
        { metadata: { namespace: 'kube-node-lease', name: metadata.name ?? '' }, spec },
        { force: true },
      );
    }
  };
  const arm = () => {
    timer = client.clock.setTimer(10_000, () => {
      void renew().catch(() => undefined);
      arm();
    });
  };
  arm();
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}

export async function createNode(
  client: Client,
  name: string,
  allocatable: Record<string, string> = {},
): Promise<void> {
  await client.create(kinds.Node, { metadata: { name, labels: { 'kubernetes.io/hostname': name } } });
  const amounts = { cpu: '8', memory: '16Gi', pods: '110', ...allocatable };
  const now = formatTime(client.clock.now());
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now }];
  await client.patchStatus(
    kinds.Node,
    { name },
    mergePatch({ status: { allocatable: amounts, capacity: amounts, conditions } }),
  );
}

/** A Pod template with a label and a container. */
export function template(app: string, image = 'busybox:1') {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: 'main', image }] } };
}
