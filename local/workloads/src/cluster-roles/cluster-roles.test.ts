import { kinds, mergePatch } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { testCluster } from '../test-support.ts';

const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

describe('a ClusterRole that is made of others', () => {
  it('has their rules, each once, in the order of their names, and follows them', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { team: 'x' } }] };
    await client.create(kinds.ClusterRole, { metadata: { name: 'sum' }, aggregationRule, rules: null });
    await client.create(kinds.ClusterRole, {
      metadata: { name: 'b', labels: { team: 'x' } },
      rules: [rule('pods'), rule('secrets')],
    });
    await client.create(kinds.ClusterRole, {
      metadata: { name: 'a', labels: { team: 'x' } },
      rules: [rule('secrets')],
    });
    await cluster.settle();
    const rules = async () =>
      (await client.get(kinds.ClusterRole, { name: 'sum' })).rules?.map(({ resources }) => resources?.[0]);
    expect(await rules()).toEqual(['secrets', 'pods']);
    await client.patch(kinds.ClusterRole, { name: 'b' }, mergePatch({ metadata: { labels: { team: null } } }));
    await cluster.settle();
    expect(await rules()).toEqual(['secrets']);
  });
});
