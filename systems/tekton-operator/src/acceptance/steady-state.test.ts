import { type Client, kinds, type Transport } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { TektonConfig, type TektonConfig as Config } from '../kinds/tekton-config.ts';
import {
  conditionOf,
  eventually,
  hasReleases,
  operatorCluster,
  settings,
  tektonConfig,
  untilReady,
} from '../test-support.ts';

interface Counted {
  readonly writes: string[];
  readonly reads: string[];
}

/** A client that counts its requests. */
function counting(transport: Transport, counted: Counted): Transport {
  return {
    ...transport,
    request: (request) => {
      const what = `${request.method} ${request.path}`;
      if (request.method === 'GET') counted.reads.push(what);
      else if (!request.path.includes('/leases/')) counted.writes.push(what);
      return transport.request(request);
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  };
}

describe.runIf(hasReleases)('when nothing changes', { timeout: 240_000 }, () => {
  it('nothing is written for ten minutes, and nothing read', async () => {
    const counted: Counted = { writes: [], reads: [] };
    await using cluster = await operatorCluster({
      operatorClient: (plane): Client => plane.clientFor(counting(plane.transport(), counted)),
    });
    await cluster.client.create(tektonConfig({ pruner: { disabled: false, keep: 5, schedule: '0 8 * * *' } }));
    await untilReady(cluster);
    await cluster.clock.advance(60_000);
    counted.writes.length = 0;
    counted.reads.length = 0;
    await cluster.clock.advance(600_000);
    expect(counted.writes).toEqual([]);
    // The runtime looks after its webhooks once a minute; that is all.
    expect(counted.reads.filter((what) => !what.includes('webhookconfigurations'))).toEqual([]);
  });

  it('a restart writes nothing either', async () => {
    const counted: Counted = { writes: [], reads: [] };
    await using cluster = await operatorCluster({
      operatorClient: (plane): Client => plane.clientFor(counting(plane.transport(), counted)),
    });
    await cluster.client.create(tektonConfig());
    await untilReady(cluster);
    // Later writes, such as Events, have time to arrive.
    await cluster.clock.advance(60_000);
    await cluster.stopOperator();
    counted.writes.length = 0;
    await cluster.restart({});
    await cluster.clock.advance(60_000);
    const isOwn = (what: string) => /customresourcedefinitions|webhookconfigurations/.test(what);
    expect(counted.writes.filter((what) => !isOwn(what))).toEqual([]);
  });
});

describe('an operator with auto-install', { timeout: 240_000 }, () => {
  it('makes the TektonConfig that it needs', async () => {
    const environment = { ...settings, AUTOINSTALL_COMPONENTS: 'true', DEFAULT_TARGET_NAMESPACE: 'tekton-pipelines' };
    await using cluster = await operatorCluster({ environment });
    const config = async () => cluster.client.get(TektonConfig, { name: 'config' }).catch(() => undefined);
    await eventually(cluster, async () => (await config()) !== undefined, 60);
    const { spec } = (await config()) as Config;
    expect(spec).toMatchObject({
      profile: 'all',
      targetNamespace: 'tekton-pipelines',
      pruner: { disabled: false, keep: 100, resources: ['pipelinerun'], schedule: '0 8 * * *' },
    });
    await eventually(
      cluster,
      async () => (await conditionOf(cluster.client, TektonConfig, 'config')) !== undefined,
      60,
    );
    expect((await cluster.client.get(kinds.Namespace, { name: 'tekton-pipelines' })).metadata.name).toBeDefined();
  });
});
