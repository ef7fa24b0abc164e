import { type Client, kinds } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { keys } from '../installer-set/set-keys.ts';
import { TektonInstallerSet } from '../kinds/kinds.ts';
import { hasReleases, operatorCluster, tektonConfig, untilReady } from '../test-support.ts';

const namespace = 'tekton-pipelines';

/** The fields that a write would change. */
async function state(client: Client): Promise<readonly string[]> {
  const lists = await Promise.all([
    client.list(TektonInstallerSet),
    client.list(kinds.Deployment, { namespace }),
    client.list(kinds.ConfigMap, { namespace }),
    client.list(kinds.Secret, { namespace }),
    client.list(kinds.CustomResourceDefinition),
  ]);
  return (
    lists
      .flatMap(({ items }) => items as readonly KubeObject[])
      // A status changes no generation; what has none has no status.
      .map(
        ({ metadata: { name, uid, generation, resourceVersion } }) => `${name} ${uid} ${generation ?? resourceVersion}`,
      )
      .toSorted()
  );
}

/** Computed by upstream's code, of the specs that this TektonConfig leads to. */
const hashesOfUpstream = {
  'TektonChain/chain': '85e9a46a9b332bdb33d4eed4ba6286f9e9bfc37d34fe0974391cc065cf86903a',
  'TektonPipeline/main': '016ce3baebf2f392565974426f85070b1e6e2bb8e37aa6076859c7a7d45a7ce0',
  'TektonTrigger/main': '7f3c6d99c9399947304f885e0354c7c95b70c298e87ffce324885c4394501b47',
};

async function hashes(client: Client): Promise<Readonly<Record<string, string | undefined>>> {
  const { items } = await client.list(TektonInstallerSet);
  const found = items.map(({ metadata: { labels = {}, annotations = {} } }) => [
    `${labels[keys.createdBy]}/${labels[keys.type]}`,
    annotations[keys.lastAppliedHash],
  ]);
  return Object.fromEntries(found.filter(([name = '']) => name in hashesOfUpstream)) as Record<string, string>;
}

describe.runIf(hasReleases)('a cluster that the operator in Go installed', () => {
  it('is taken over as it is: no set is written or replaced, and no Pod recreated', { timeout: 120_000 }, async () => {
    await using cluster = await operatorCluster();
    const { client } = cluster;
    await client.create(tektonConfig({ profile: 'basic', chain: { disabled: false, generateSigningSecret: true } }));
    await untilReady(cluster);
    await cluster.stopOperator();
    // As upstream leaves it: the same, without what only this operator notes.
    for (const set of (await client.list(TektonInstallerSet)).items) {
      const ours = new Set<string>([keys.imagesHash, keys.payload]);
      if (set.metadata.labels?.[keys.type] === 'chain-secret') ours.add(keys.lastAppliedHash);
      const annotations = Object.fromEntries(
        Object.entries(set.metadata.annotations ?? {}).filter(([key]) => !ours.has(key)),
      );
      await client.update(TektonInstallerSet, { ...set, metadata: { ...set.metadata, annotations } });
    }
    expect(await hashes(client)).toEqual(hashesOfUpstream);
    const before = await state(client);
    await cluster.restart({});
    await cluster.clock.advance(120_000);
    await untilReady(cluster);
    expect(await state(client)).toEqual(before);
  });
});
