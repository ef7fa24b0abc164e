import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { RevisionStore } from '@tektite/apiserver';
import { Client, httpTransport, kinds } from '@tektite/client';
import { defineController, type System } from '@tektite/controller';
import { expect, test } from 'vitest';
import { admin, startCluster } from './start-cluster.ts';

const namespace = 'default';

/** Labels every ConfigMap that it sees. */
const labeller: System = {
  name: 'labeller',
  kinds: [],
  controllers: [
    defineController({
      name: 'labeller',
      kind: kinds.ConfigMap,
      async reconcile({ metadata }, { client }) {
        if (metadata.labels?.seen) return;
        const { name = '', namespace = '' } = metadata;
        await client.apply(
          kinds.ConfigMap,
          { metadata: { namespace, name, labels: { seen: 'true' } } },
          { force: true },
        );
      },
    }),
  ],
};

test('the example of the README is the one that is tested', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('./example.test.ts')}\`\`\`\n`);
});

test('without controllers and node it is an API server alone, which makes no folder', async () => {
  await using cluster = await startCluster({ controllers: false });
  expect(cluster.folder).toBeUndefined();
  await cluster.client.create(kinds.ConfigMap, { metadata: { namespace, name: 'a' } });
  const pod = { metadata: { namespace, name: 'a' }, spec: { containers: [{ name: 'c', image: 'c' }] } };
  expect((await cluster.client.create(kinds.Pod, pod)).spec?.serviceAccountName).toBeUndefined();
});

test('systems run on it, and built-in controllers create service accounts', async () => {
  await using cluster = await startCluster({ systems: [labeller] });
  await cluster.client.create(kinds.ConfigMap, { metadata: { namespace, name: 'a' } });
  await expect
    .poll(async () => (await cluster.client.get(kinds.ConfigMap, { namespace, name: 'a' })).metadata.labels)
    .toEqual({ seen: 'true' });
  await expect.poll(() => cluster.client.get(kinds.ServiceAccount, { namespace, name: 'default' })).toBeTruthy();
  expect(cluster.systems?.health().healthy).toBe(true);
});

test('it is reached over HTTPS with a certificate for a user', async () => {
  await using cluster = await startCluster({ controllers: false });
  const api = await cluster.https();
  await using client = new Client(httpTransport(await api.configFor(admin)));
  expect((await client.list(kinds.Namespace)).items.map(({ metadata }) => metadata.name)).toContain('default');
  await using stranger = new Client(httpTransport(await api.configFor({ name: 'jane', groups: [] })));
  await expect(stranger.list(kinds.Secret)).rejects.toMatchObject({ code: 403 });
});

test('objects are kept in a storage of the caller', async () => {
  const storage = new RevisionStore();
  const key = { namespace, name: 'kept' };
  {
    await using first = await startCluster({ storage, controllers: false });
    await first.client.create(kinds.ConfigMap, { metadata: key });
  }
  await using second = await startCluster({ storage, controllers: false });
  expect((await second.client.get(kinds.ConfigMap, key)).metadata.name).toBe('kept');
});

test('when a part fails, the parts that were started are stopped and the failure is reported', async () => {
  const broken: System = {
    name: 'broken',
    kinds: [],
    controllers: [],
    configure: () => Promise.reject(new Error('no settings')),
  };
  let port = 0;
  const started = startCluster({
    https: { host: '127.0.0.1', port: 0 },
    systems: [broken],
    onServing: async (api) => void (port = api.port),
  });
  await expect(started).rejects.toThrow('no settings');
  expect(port).toBeGreaterThan(0);
  await expect(fetch(`https://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
});

test('a temporary folder is removed with the cluster', async () => {
  const cluster = await startCluster({ node: { runtime: 'simulated' } });
  const folder = cluster.folder ?? '';
  expect((await stat(folder)).isDirectory()).toBe(true);
  await cluster.close();
  await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
});
