import { keyOf, kinds } from '@tektite/client';
import { sleep, systemClock } from '@tektite/meta';
import { startRealControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { removeSet } from '../remove-set.ts';
import { makeReady, TestSet } from '../test-support.ts';
import {
  accepted,
  changes,
  dialects,
  hasKubectl,
  hasReleases,
  kubectlChange,
  live,
  needs,
  objectsOf,
  readAll,
} from './test-support.ts';

/** No controller runs beside this server, so what they would say is said here. */
async function untilReady(set: TestSet): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    const report = await set.run();
    if (report.ready && report.result.type === 'done') return;
    for (const { metadata } of (await set.client.list(kinds.Deployment)).items)
      await makeReady(set.client, metadata.name ?? '', 'Deployment', metadata.namespace);
    await sleep(systemClock, 100);
  }
  throw new Error(`it did not become ready: ${set.condition('Ready')}`);
}

describe.skipIf(!hasReleases || !hasKubectl)(
  'the Tekton release on a real kube-apiserver (from ../shared, skipped where that or kubectl is absent)',
  () => {
    it.each(changes)(
      'is what kubectl makes of the same files (%s from %s to %s), and goes again',
      async (component, before, after) => {
        const [first, second] = [`${component}/${before}`, `${component}/${after}`];
        await using theirs = await startRealControlPlane();
        await kubectlChange(theirs, [...needs(component), first, second]);
        for (const [, dialect] of dialects) {
          await using cluster = await startRealControlPlane();
          const { client } = cluster;
          for (const path of needs(component))
            await untilReady(
              await TestSet.create(client, dialect, 'base', await accepted(client, await objectsOf(path))),
            );
          const set = await TestSet.create(client, dialect, 'release', await accepted(client, await objectsOf(first)));
          await untilReady(set);
          set.objects = await accepted(client, await objectsOf(second));
          await untilReady(set);
          expect((await set.run()).changes).toEqual([]);
          expect(await readAll(client, set.objects)).toEqual(await readAll(theirs.client, set.objects));
          await removeSet(client, set, dialect);
          await client.delete(set.self, keyOf(set.self));
          const left = await Promise.all(set.objects.map((object) => live(client, object)));
          const kinds = new Set(left.flatMap((object) => object?.kind ?? []));
          kinds.delete('Namespace');
          expect([...kinds]).toEqual(['CustomResourceDefinition']);
        }
      },
      300_000,
    );
  },
);
