import { type Client, kinds } from '@tektite/client';
import { installKinds, Manager } from '@tektite/controller';
import { Informer } from '@tektite/controller/cache';
import { type Random, seededRandom } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { Scenario, World } from '@tektite/simulator';
import { strippingTransforms } from '../../cache/cache-transforms.ts';
import { standardDefaults } from '../../config/config-defaults.ts';
import { defaultFeatureFlags } from '../../config/feature-flags.ts';
import { StepAction, Task, TaskRun } from '../../kinds/kinds.ts';
import { ResolutionRequest } from '../../kinds/resolution-request.ts';
import type { TaskRunSpec } from '../../kinds/task-run-spec.ts';
import { succeededCondition } from '../../conditions/succeeded-condition.ts';
import { ImageLookup } from '../../images/image-lookup.ts';
import { taskRunController } from './controller.ts';

const namespace = 'default';
const images = { entrypoint: 'e', nop: 'nop', sidecarLogResults: 'r', workingDirInit: 'w', shell: 'sh' };

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random.next() * items.length)] as T;

function must(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** Runs Pods on the side of the world where nothing fails, and writes down what it saw of each. */
class Kubelet {
  /** By name: the uids of the Pods that ever had it, and the result of the last of them. */
  readonly seen = new Map<string, { readonly uids: Set<string>; result?: string; exitCode?: number }>();
  /** Pods that were deleted by another client: their successors may reuse their name. */
  readonly taken = new Set<string>();
  private readonly client: Client;
  private readonly world: World;
  private readonly random: Random;
  private readonly started = new Set<string>();

  constructor(world: World, seed: number) {
    this.client = world.client;
    this.world = world;
    this.random = seededRandom(seed);
    const informer = new Informer<Pod, Pod>(world.client, kinds.Pod);
    informer.addHandler({
      added: (pod) => this.see(pod),
      modified: (pod) => this.see(pod),
    });
    informer.start();
  }

  private see(pod: Pod): void {
    const { name = '', uid = '', annotations = {} } = pod.metadata;
    const entry = this.seen.get(name) ?? { uids: new Set<string>() };
    this.seen.set(name, entry);
    if (!entry.uids.has(uid)) {
      entry.uids.add(uid);
      // The result of its predecessor is lost.
      delete entry.result;
      this.later(() => this.write(name, uid, 'Running', { running: { startedAt: '2026-01-01T00:00:00Z' } }));
    }
    if (annotations['tekton.dev/ready'] !== 'READY' || this.started.has(uid)) return;
    this.started.add(uid);
    const exitCode = this.random.next() < 0.3 ? 1 : 0;
    this.later(async () => {
      const value = `${name} ${uid}`;
      const message = JSON.stringify([{ key: 'r', value, type: 1 }]);
      const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message };
      const written = await this.write(name, uid, exitCode === 0 ? 'Succeeded' : 'Failed', { terminated });
      if (written) Object.assign(entry, { result: value, exitCode });
    });
  }

  private later(act: () => Promise<unknown>): void {
    this.world.clock.setTimer(100 + this.random.next() * 20_000, () => void act());
  }

  private async write(name: string, uid: string, phase: string, state: object): Promise<boolean> {
    const pod = await this.client.get(kinds.Pod, { namespace, name }).catch(() => undefined);
    const isOver = pod?.status?.phase === 'Succeeded' || pod?.status?.phase === 'Failed';
    if (!pod || pod.metadata.uid !== uid || isOver) return false;
    const containerStatuses = [
      { name: 'step-a', state, ready: phase === 'Running', image: 'i', imageID: 'i', restartCount: 0 },
    ];
    const status = { phase, containerStatuses } as unknown as NonNullable<Pod['status']>;
    const written = await this.client.updateStatus(kinds.Pod, { ...pod, status }).catch(() => undefined);
    if (!written) this.world.clock.setTimer(50, () => void this.write(name, uid, phase, state));
    return written !== undefined;
  }

  /** Deletes a Pod without a grace period. */
  async evict(name: string): Promise<void> {
    const pod = await this.client.get(kinds.Pod, { namespace, name }).catch(() => undefined);
    if (!pod || pod.status?.phase !== 'Running') return;
    const status = { ...pod.status, phase: 'Failed', reason: 'Evicted', message: 'the node was low on memory' };
    await this.client.updateStatus(kinds.Pod, { ...pod, status }).catch(() => undefined);
  }
}

const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };

const spec: TaskRunSpec = {
  timeout: '10m',
  taskSpec: {
    steps: [{ name: 'a', image: 'i', script: 'true' }],
    results: [{ name: 'r', type: 'string' }],
    workspaces: [{ name: 'w' }],
  },
  workspaces: [{ name: 'w', volumeClaimTemplate: claim as never }],
};

/** Three TaskRuns with retries; with `isHostile`, their Pods are evicted and deleted. */
export function taskRunScenario(seed: number, isHostile: boolean): Scenario {
  let kubelet: Kubelet;
  const names = ['one', 'two', 'three'];
  return {
    async prepare(world) {
      await installKinds(world.client, [Task, TaskRun, StepAction, ResolutionRequest]);
      await world.client.create(kinds.ServiceAccount, { metadata: { namespace, name: 'default' } });
      kubelet = new Kubelet(world, seed);
    },
    async start(client) {
      const manager = new Manager(client, { name: 'TaskRun', graceMs: 0 });
      const settings = { flags: () => defaultFeatureFlags, defaults: () => standardDefaults };
      manager.add(
        taskRunController({
          ...settings,
          images,
          release: 'test',
          transforms: strippingTransforms,
          imageLookup: new ImageLookup(),
        }),
      );
      manager.start();
    },
    async act(world) {
      const { client, random } = world;
      for (const name of names) {
        await client.create(TaskRun, {
          metadata: { namespace, name },
          spec: { ...spec, retries: pick(random, [0, 1, 2]) },
        });
        await world.sleep(random.next() * 20_000);
      }
      for (let i = 0; isHostile && i < 4; i++) {
        const name = `${pick(random, names)}-pod`;
        if (random.next() < 0.5) await kubelet.evict(name);
        else if (await client.delete(kinds.Pod, { namespace, name }).catch(() => undefined)) kubelet.taken.add(name);
        await world.sleep(random.next() * 20_000);
      }
      await world.sleep(300_000);
    },
    async check({ client }) {
      for (const name of names) {
        const run = await client.get(TaskRun, { namespace, name });
        const { status = { podName: '' }, spec: asked } = run;
        const condition = succeededCondition(status);
        must(condition?.status !== 'Unknown', `${name} never ended: ${JSON.stringify(condition)}`);
        const attempts = [...(status.retriesStatus ?? []), status];
        must(attempts.length <= (asked.retries ?? 0) + 1, `${name} was tried too often`);
        for (const { podName, results, conditions } of attempts) {
          const pod = kubelet.seen.get(podName);
          must(pod !== undefined, `${name} tells of a Pod ${podName} that never was`);
          must(kubelet.taken.has(podName) || pod?.uids.size === 1, `${podName} was made more than once`);
          if (pod?.result === undefined) continue;
          const isSuccess = conditions?.find(({ type }) => type === 'Succeeded')?.status === 'True';
          must(results?.[0]?.value === pod.result, `${podName} told ${pod.result}, the run ${JSON.stringify(results)}`);
          must(isSuccess === (pod.exitCode === 0), `${podName} ended with ${pod.exitCode}, the run says otherwise`);
        }
        const own = [...kubelet.seen.keys()].filter((pod) => pod.startsWith(`${name}-pod`));
        must(own.length === attempts.length, `${name} had ${own.length} Pods for ${attempts.length} attempts`);
      }
      const claims = (await client.list(kinds.PersistentVolumeClaim, { namespace })).items;
      must(claims.length === names.length, `${claims.length} claims for ${names.length} runs`);
    },
  };
}
