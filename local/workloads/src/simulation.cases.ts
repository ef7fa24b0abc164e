import { type Client, kinds } from '@tektite/client';
import { isControlledBy, ownerReference } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { type PodScript, type Scenario, startSimulatedNode, type World } from '@tektite/simulator';
import { startWorkloads } from './start-workloads.ts';
import { template } from './test-support.ts';

const namespace = 'default';

/** All controllers under test; on the side of the node nothing fails. */
function scenario(act: Scenario['act'], check: NonNullable<Scenario['check']>, script?: PodScript): Scenario {
  return {
    restless: ['node-1'],
    async prepare({ component }) {
      await component('node-1', (client) => startSimulatedNode(client, 'node-1', script), { rates: {} });
    },
    async start(client) {
      void startWorkloads({ client });
    },
    act,
    check,
  };
}

function must(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

const pick = <T>({ random }: World, items: readonly T[]): T => items[Math.floor(random.next() * items.length)] as T;

interface Wanted {
  readonly replicas: number;
  readonly image: string;
}

/** Two Deployments that are created, changed and deleted. */
export function deployments(): Scenario {
  const wanted = new Map<string, Wanted>();
  return scenario(
    async (world) => {
      wanted.clear();
      for (let i = 0; i < 8; i++) {
        const name = pick(world, ['a', 'b']);
        const key = { namespace, name };
        const exists = wanted.has(name);
        if (exists && world.random.next() < 0.2) {
          wanted.delete(name);
          await world.client.delete(kinds.Deployment, key);
        } else {
          const next = {
            replicas: Math.floor(world.random.next() * 5),
            image: pick(world, ['busybox:1', 'busybox:2', 'busybox:3']),
          };
          wanted.set(name, next);
          const spec = {
            replicas: next.replicas,
            selector: { matchLabels: { app: name } },
            template: template(name, next.image),
          };
          await world.client.apply(kinds.Deployment, { metadata: key, spec }, { force: true });
        }
        await world.sleep(world.random.next() * 15_000);
      }
    },
    async ({ client }) => {
      const pods = (await client.list(kinds.Pod)).items;
      const sets = (await client.list(kinds.ReplicaSet)).items;
      const all = (await client.list(kinds.Deployment)).items;
      must(all.length === wanted.size, `${all.length} Deployments instead of ${wanted.size}`);
      for (const deployment of all) {
        const { replicas, image } = wanted.get(deployment.metadata.name ?? '') ?? { replicas: -1, image: '' };
        const own = sets.filter((set) => isControlledBy(set, deployment));
        const mine = pods.filter((pod) => own.some((set) => isControlledBy(pod, set)));
        must(mine.length === replicas, `${mine.length} Pods instead of ${replicas}`);
        must(
          mine.every(({ spec }) => spec?.containers?.[0]?.image === image),
          'a Pod of another template',
        );
        const { status, metadata } = deployment;
        must(
          (status?.availableReplicas ?? 0) === replicas,
          `says ${status?.availableReplicas} are available, not ${replicas}`,
        );
        must(status?.observedGeneration === metadata.generation, 'did not see the last generation');
        const templates = own.map((set) => JSON.stringify(set.spec?.template?.spec));
        must(new Set(templates).size === templates.length, 'two ReplicaSets of one template');
      }
      const owned = sets.filter((set) => all.some((deployment) => isControlledBy(set, deployment)));
      must(owned.length === sets.length, 'a ReplicaSet was left behind');
      must(
        pods.every((pod) => sets.some((set) => isControlledBy(pod, set))),
        'a Pod was left behind',
      );
    },
  );
}

/** Two Jobs of any shape, some of whose Pods fail. */
export function jobs(): Scenario {
  const wanted = new Map<string, number>();
  /** Some Pods fail. Their name decides which, so that every reconcile sees the same result. */
  const script: PodScript = ({ metadata }) => ({
    exitCode: (metadata.name ?? '').charCodeAt((metadata.name ?? '').length - 1) % 4 === 0 ? 1 : 0,
    runMs: 2000,
  });
  return scenario(
    async (world) => {
      wanted.clear();
      for (const name of ['a', 'b']) {
        const completions = 1 + Math.floor(world.random.next() * 5);
        wanted.set(name, completions);
        const spec = {
          completions,
          parallelism: 1 + Math.floor(world.random.next() * 3),
          backoffLimit: 50,
          completionMode: pick(world, ['Indexed', 'NonIndexed']),
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } },
        };
        await world.client.create(kinds.Job, { metadata: { namespace, name }, spec });
        await world.sleep(world.random.next() * 10_000);
      }
      // Failures make it slow.
      await world.sleep(3_600_000);
    },
    async ({ client }) => {
      const pods = (await client.list(kinds.Pod)).items;
      for (const job of (await client.list(kinds.Job)).items) {
        const completions = wanted.get(job.metadata.name ?? '');
        const mine = pods.filter((pod) => isControlledBy(pod, job));
        const succeeded = mine.filter(({ status }) => status?.phase === 'Succeeded').length;
        const failures = mine.filter(({ status }) => status?.phase === 'Failed').length;
        const { status } = job;
        must(
          status?.conditions?.some(({ type }) => type === 'Complete') ?? false,
          `not complete: ${JSON.stringify(status)}`,
        );
        // A Pod that was made although the answer was lost is made twice. It may end before it is withdrawn, and then counts.
        const counted = job.spec?.completionMode === 'Indexed' ? completions : succeeded;
        must(succeeded >= (completions ?? 0), `${succeeded} Pods succeeded, ${completions} were wanted`);
        must(status?.succeeded === counted, `counts ${status?.succeeded}, not ${counted}`);
        must((status?.failed ?? 0) === failures, `counts ${status?.failed} failures, there were ${failures}`);
        must(
          mine.every(({ metadata }) => !metadata.finalizers),
          'a Pod was not let go',
        );
      }
    },
    script,
  );
}

/** A family of ConfigMaps: each has up to two of the others for owners. */
export function families(): Scenario {
  const live = async (client: Client) =>
    (await client.list(kinds.ConfigMap, { namespace, labelSelector: 'family' })).items.filter(
      ({ metadata }) => !metadata.deletionTimestamp,
    );
  /** The owners of each that was created, and those that users deleted. */
  const ownersOf = new Map<string, readonly string[]>();
  const victims = new Set<string>();
  /** Those of them that were to leave their dependents. */
  const orphaning = new Set<string>();
  return scenario(
    async (world) => {
      ownersOf.clear();
      victims.clear();
      orphaning.clear();
      for (let i = 0; i < 15; i++) {
        const all = await live(world.client);
        const owners = new Set(
          [pick(world, all), pick(world, all)].filter(
            (each): each is ConfigMap => each !== undefined && world.random.next() < 0.7,
          ),
        );
        const ownerReferences = [...owners].map((owner) => ({
          ...ownerReference(owner),
          blockOwnerDeletion: world.random.next() < 0.5,
        }));
        const metadata = { namespace, name: `m${i}`, labels: { family: 'x' }, ownerReferences };
        await world.client.create(kinds.ConfigMap, { metadata });
        ownersOf.set(
          metadata.name,
          ownerReferences.map(({ name }) => name),
        );
        await world.sleep(world.random.next() * 5000);
      }
      // Who orphans has to know its dependents, and those who watch may be behind.
      await world.sleep(120_000);
      for (let i = 0; i < 4; i++) {
        const victim = pick(world, await live(world.client));
        if (!victim) return;
        victims.add(victim.metadata.name ?? '');
        const propagationPolicy = pick(world, ['Background', 'Foreground', 'Orphan'] as const);
        if (propagationPolicy === 'Orphan') orphaning.add(victim.metadata.name ?? '');
        await world.client.delete(
          kinds.ConfigMap,
          { namespace, name: victim.metadata.name ?? '' },
          { propagationPolicy },
        );
        await world.sleep(world.random.next() * 60_000);
      }
    },
    async ({ client }) => {
      const { items } = await client.list(kinds.ConfigMap, { namespace, labelSelector: 'family' });
      const uids = new Set(items.map(({ metadata }) => metadata.uid));
      const names = new Set(items.map(({ metadata }) => metadata.name ?? ''));
      const isOwned = (owner: string) => {
        const above = ownersOf.get(owner) ?? [];
        return above.length === 0 || above.some((each) => names.has(each));
      };
      for (const [name, owners] of ownersOf) {
        if (victims.has(name)) continue;
        const isLeft = owners.every((owner) => orphaning.has(owner) && isOwned(owner));
        if (isLeft || owners.some((owner) => names.has(owner)))
          must(names.has(name), `${name} was deleted, and is no garbage`);
      }
      for (const { metadata } of items) {
        must(
          metadata.deletionTimestamp === undefined,
          `${metadata.name} does not go: ${JSON.stringify(metadata.finalizers)}`,
        );
        must(!metadata.finalizers, `${metadata.name} has finalizers`);
        for (const { uid } of metadata.ownerReferences ?? [])
          must(uids.has(uid), `${metadata.name} has an owner that was deleted`);
      }
    },
  );
}
