import { kinds } from '@tektite/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCluster, startCluster } from './start-cluster.ts';

interface Metrics {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly containers: readonly {
    readonly name: string;
    readonly usage: { readonly cpu: string; readonly memory: string };
  }[];
}

describe('metrics.k8s.io', () => {
  let cluster: RunningCluster;
  beforeAll(async () => {
    cluster = await startCluster({ node: { runtime: 'host', name: 'here' } });
    const scripts = { busy: 'while :; do :; done', idle: 'sleep 1000' };
    for (const [name, script] of Object.entries(scripts))
      await cluster.client.create(kinds.Pod, {
        metadata: { namespace: 'default', name, labels: { app: name } },
        spec: {
          containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }],
          terminationGracePeriodSeconds: 0,
        },
      });
  });
  afterAll(() => cluster.close());

  async function ask(path: string, method = 'GET') {
    const [place = '', query = ''] = path.split('?');
    const user = { name: 'admin', groups: ['system:masters'] };
    const request = { method, path: place, query: new URLSearchParams(query), headers: {}, user };
    const answer = await cluster.server.handle(request);
    return { code: answer.code, object: (answer as { object?: unknown }).object as Metrics & { items: Metrics[] } };
  }
  const root = '/apis/metrics.k8s.io/v1beta1';
  const nanocores = ({ containers: [main] }: Metrics) => Number(main?.usage.cpu.replace(/n$/, ''));

  it('has the use of Pods: more of one that computes than of one that sleeps', { timeout: 60_000 }, async () => {
    await expect.poll(async () => (await ask(`${root}/pods`)).object.items.length, { timeout: 30_000 }).toBe(2);
    const list = async () => (await ask(`${root}/namespaces/default/pods`)).object.items;
    const use = async () => new Map((await list()).map((each) => [each.metadata.name, nanocores(each)]));
    await expect.poll(async () => ((await use()).get('busy') ?? 0) > 20_000_000, { timeout: 30_000 }).toBe(true);
    expect((await use()).get('idle')).toBeLessThan((await use()).get('busy') ?? 0);
    const { object } = await ask(`${root}/namespaces/default/pods/busy`);
    expect(object).toMatchObject({
      kind: 'PodMetrics',
      window: expect.stringMatching(/^[\dm.]+s$/) as string,
      containers: [
        {
          name: 'main',
          usage: {
            cpu: expect.stringMatching(/^\d+n$/) as string,
            memory: expect.stringMatching(/^[1-9]\d*Ki$/) as string,
          },
        },
      ],
    });
    const selected = await ask(`${root}/pods?labelSelector=app%3Didle`);
    expect(selected.object.items.map(({ metadata }) => metadata.name)).toEqual(['idle']);
  });

  it('has the use of the node, and nothing that is not there', async () => {
    const { object } = await ask(`${root}/nodes`);
    const usage = {
      cpu: expect.stringMatching(/^\d+n$/) as string,
      memory: expect.stringMatching(/^[1-9]\d*Ki$/) as string,
    };
    expect(object.items).toMatchObject([{ kind: 'NodeMetrics', metadata: { name: 'here' }, usage }]);
    expect((await ask(`${root}/namespaces/default/pods/none`)).code).toBe(404);
    expect((await ask(`${root}/namespaces/default/pods/busy`, 'DELETE')).code).toBe(405);
    expect((await ask(`/openapi/v3${root}`)).object).toMatchObject({ openapi: '3.0.0' });
    const groups = (await ask('/apis')).object as unknown as { readonly groups: readonly { readonly name: string }[] };
    expect(groups.groups.map(({ name }) => name)).toContain('metrics.k8s.io');
  });
});
