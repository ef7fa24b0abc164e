import { type Client, kinds, mergePatch } from '@tektite/client';
import { type DynamicObject, type Random, seededRandom } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import type { InstallerDialect } from './dialect.ts';
import { connectorsDialect, tektonDialect } from './dialects/test-support.ts';
import { configMap, deployment, makeReady, TestSet } from './test-support.ts';

/** `SEEDS=500 npx vitest run core/installer/src/drift.test.ts` for a long night. */
const seeds = Number(process.env['SEEDS'] ?? 5);
const steps = 60;
const maps = ['a', 'b', 'c'];
const workloads = ['web', 'db'];
const dialects: readonly (readonly [string, InstallerDialect])[] = [
  ['tekton', tektonDialect],
  ['connectors', connectorsDialect],
];

type Data = Readonly<Record<string, string>>;

/** Changes that users make to a set, and the expected result. */
class Drift {
  readonly data = new Map<string, Data>();
  readonly notes = new Map<string, Data>();
  wanted = new Map<string, Data>(maps.map((name) => [name, { level: 'info', size: '1' }]));
  image = 'web:1';
  private readonly client: Client;
  private readonly random: Random;

  constructor(client: Client, random: Random) {
    this.client = client;
    this.random = random;
    for (const [name, data] of this.wanted) this.data.set(name, data);
    for (const name of workloads) this.notes.set(name, {});
  }

  objects(): readonly DynamicObject[] {
    return [
      ...[...this.wanted].map(([name, data]) => configMap(name, data)),
      ...workloads.map((name) => deployment(name, { image: this.image })),
    ];
  }

  private pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random.next() * items.length)] as T;
  }

  /** One change by a user. */
  async act(): Promise<void> {
    const map = { namespace: 'default', name: this.pick(maps) };
    const workload = { namespace: 'default', name: this.pick(workloads) };
    const value = String(Math.floor(this.random.next() * 1000));
    const { client } = this;
    const patchWorkload = (patch: object) =>
      client.patch(kinds.Deployment, workload, mergePatch(patch), { fieldManager: 'kubectl-edit' });
    switch (
      this.pick(['edit', 'edit', 'delete', 'scale', 'image', 'env', 'note', 'labels', 'drop', 'change', 'upgrade'])
    ) {
      case 'edit': {
        const key = this.pick(['level', 'mine']);
        await client.patch(kinds.ConfigMap, map, mergePatch({ data: { [key]: value } }), {
          fieldManager: 'kubectl-edit',
        });
        this.data.set(map.name, { ...this.data.get(map.name), [key]: value });
        break;
      }
      case 'delete':
        if (this.random.next() < 0.5) {
          await client.delete(kinds.ConfigMap, map);
          this.data.set(map.name, this.wanted.get(map.name) ?? {});
        } else {
          await client.delete(kinds.Deployment, workload);
          this.notes.set(workload.name, {});
        }
        break;
      case 'scale':
        await patchWorkload({ spec: { replicas: 7 } });
        break;
      case 'image':
      case 'env': {
        const live = await client.get(kinds.Deployment, workload);
        const container = { ...live.spec?.template.spec?.containers?.[0], image: `mine:${value}` };
        const containers = [
          {
            ...container,
            env: [
              { name: 'LEVEL', value: 'debug' },
              { name: `MORE_${value}`, value },
            ],
          },
        ];
        await patchWorkload({ spec: { template: { spec: { containers } } } });
        break;
      }
      case 'note':
        await patchWorkload({ metadata: { annotations: { [`note-${value}`]: value } } });
        this.notes.set(workload.name, { ...this.notes.get(workload.name), [`note-${value}`]: value });
        break;
      case 'labels':
        await patchWorkload({ metadata: { labels: { app: 'stolen' } } });
        break;
      case 'drop':
        await patchWorkload({ metadata: { labels: null } });
        break;
      case 'change': {
        // The set changes: what it says holds again, and only keys of others stay.
        const next: Data = this.random.next() < 0.5 ? { level: value } : { level: value, size: value };
        const before = this.wanted.get(map.name) ?? {};
        const others = Object.entries(this.data.get(map.name) ?? {}).filter(([key]) => !Object.hasOwn(before, key));
        this.wanted.set(map.name, next);
        this.data.set(map.name, { ...Object.fromEntries(others), ...next });
        break;
      }
      default:
        this.image = `web:${value}`;
    }
  }
}

describe.each(dialects)('what users change and delete (%s)', (_name, dialect) => {
  it('stays in hashed objects until the set changes; is put back in managed fields of workloads; comes back when it is deleted', async () => {
    for (let seed = 1; seed <= seeds; seed++) {
      await using plane = await startControlPlane({ seed });
      const { client } = plane;
      const drift = new Drift(client, seededRandom(seed));
      const set = await TestSet.create(client, dialect, 'drift', drift.objects());
      await set.run();
      for (let step = 0; step < steps; step++) {
        await drift.act();
        set.objects = drift.objects();
        await set.run();
        for (const name of workloads) await makeReady(client, name);
        const again = await set.run();
        const where = `seed ${seed}, step ${step}`;
        expect(again, where).toMatchObject({ ready: true, changes: [] });
        for (const name of maps) {
          const { data } = await client.get(kinds.ConfigMap, { namespace: 'default', name });
          expect(data, `${where}, ConfigMap ${name}`).toEqual(drift.data.get(name));
        }
        for (const name of workloads) {
          const live = await client.get(kinds.Deployment, { namespace: 'default', name });
          const container = live.spec?.template.spec?.containers?.[0];
          expect(
            { replicas: live.spec?.replicas, image: container?.image, env: container?.env, app: live.metadata.labels },
            `${where}, Deployment ${name}`,
          ).toEqual({
            replicas: 1,
            image: drift.image,
            env: [{ name: 'LEVEL', value: 'info' }],
            app: { app: name },
          });
          expect(live.metadata.annotations ?? {}, `${where}, notes of ${name}`).toEqual(drift.notes.get(name));
        }
      }
    }
  }, 120_000);
});
