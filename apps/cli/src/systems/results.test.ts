import { join } from 'node:path';
import { kinds, mergePatch, openClient } from '@tektite/client';
import type { Condition, KubeObject } from '@tektite/meta';
import { expect, it } from 'vitest';
import { Scratch } from '../test-support.ts';

const taskRuns = { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' };

interface Status {
  readonly conditions?: readonly Condition[];
  readonly results?: readonly { readonly name: string; readonly value: string }[];
}

it('results reach the TaskRun wherever they are read from, and however sidecars run', {
  timeout: 180_000,
}, async () => {
  using scratch = new Scratch();
  const data = join(scratch.path, 'data');
  await using _ = await scratch.start(['up', '--data-dir', data, '--port', '0', '--systems', 'pipelines'], /Ctrl-C/);
  await using client = await openClient({ kubeconfig: join(data, 'kubeconfig') });
  const flags = { namespace: 'tekton-pipelines', name: 'feature-flags' };
  for (const from of ['termination-message', 'sidecar-logs'])
    for (const asInitContainer of ['false', 'true'])
      for (const sidecar of [false, true]) {
        const settings = { 'results-from': from, 'enable-kubernetes-sidecar': asInitContainer };
        await client.patch(kinds.ConfigMap, flags, mergePatch({ data: settings }));
        const name = `${from}-${asInitContainer}-${sidecar}`;
        const key = { namespace: 'default', name };
        const create = () =>
          client.create({
            ...taskRuns,
            metadata: key,
            spec: {
              taskSpec: {
                results: [{ name: 'greeting' }],
                steps: [{ name: 'say', image: 'bash', script: 'printf hello >$(results.greeting.path)' }],
                ...(sidecar
                  ? { sidecars: [{ name: 'beside', image: 'bash', script: 'trap "exit 0" TERM; sleep 600 & wait' }] }
                  : {}),
              },
            },
          } as KubeObject);
        // The controller watches its settings: a run that shows the old ones is repeated.
        const provenance = async () => {
          await client.delete(taskRuns, key).catch(() => undefined);
          await create();
          await expect
            .poll(async () => (await read()).conditions?.[0]?.status, { timeout: 60_000 })
            .toMatch(/True|False/);
          const { featureFlags } = ((await read()) as { provenance?: { featureFlags?: Record<string, unknown> } })
            .provenance ?? { featureFlags: {} };
          return {
            from: featureFlags?.['resultExtractionMethod'],
            native: featureFlags?.['enableKubernetesSidecar'] ?? false,
          };
        };
        const read = async () => ((await client.get(taskRuns, key)).status ?? {}) as Status;
        await expect.poll(provenance, { timeout: 60_000 }).toEqual({ from, native: asInitContainer === 'true' });
        const { conditions, results } = await read();
        expect({ name, status: conditions?.[0]?.status, results }).toMatchObject({
          name,
          status: 'True',
          results: [{ name: 'greeting', value: 'hello' }],
        });
      }
});
