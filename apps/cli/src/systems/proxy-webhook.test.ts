import { join } from 'node:path';
import { kinds, openClient } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { expect, it } from 'vitest';
import { Scratch } from '../test-support.ts';

type WithConditions = KubeObject & {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

it('runs of an operator that has a proxy get it, and still succeed without the ConfigMaps of certificates', {
  timeout: 120_000,
}, async () => {
  using scratch = new Scratch();
  const data = join(scratch.path, 'data');
  const proxy = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1,localhost,.svc' };
  const systems = ['--systems', 'tekton-operator', '--no-dashboard'];
  const up = ['up', '--data-dir', data, '--port', '0', '--runtime', 'host', ...systems];
  await using _ = await scratch.start(up, /Ctrl-C/, proxy);
  await using client = await openClient({ kubeconfig: join(data, 'kubeconfig') });
  const config = { apiVersion: 'operator.tekton.dev/v1alpha1', kind: 'TektonConfig' };
  await client.create({
    ...config,
    metadata: { name: 'config' },
    spec: { profile: 'lite', targetNamespace: 'tekton-pipelines', pruner: { disabled: true } },
  } as KubeObject);
  const condition = async (kind: { apiVersion: string; kind: string }, key: object, type: string) =>
    (await client.getOrUndefined<WithConditions>(kind, key as never))?.status?.conditions?.find(
      (each) => each.type === type,
    )?.status;
  await expect
    .poll(() => condition(config, { name: 'config' }, 'Ready'), { timeout: 90_000, interval: 500 })
    .toBe('True');
  const taskRun = { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' };
  const key = { namespace: 'default', name: 'proxied' };
  await client.create({
    ...taskRun,
    metadata: key,
    spec: { taskSpec: { steps: [{ name: 'a', image: 'bash', script: 'test "$HTTP_PROXY" = http://127.0.0.1:9' }] } },
  } as KubeObject);
  await expect.poll(() => condition(taskRun, key, 'Succeeded'), { timeout: 30_000 }).toBe('True');
  const { spec } = await client.get(kinds.Pod, { namespace: 'default', name: 'proxied-pod' });
  expect(spec?.volumes?.map(({ name }) => name)).toContain('config-trusted-cabundle-volume');
});
