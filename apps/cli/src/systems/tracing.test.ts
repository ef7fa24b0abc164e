import { join } from 'node:path';
import { kinds, mergePatch, openClient } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { expect, it } from 'vitest';
import { startCollector } from '../observe/test-support.ts';
import { Scratch } from '../test-support.ts';

const taskRun = {
  apiVersion: 'tekton.dev/v1',
  kind: 'TaskRun',
  metadata: { namespace: 'default', generateName: 'traced-' },
  spec: { taskSpec: { steps: [{ name: 'a', image: 'bash', script: 'true' }] } },
} as KubeObject;

it('config-tracing has the reconciles of runs traced, with credentials, while it is enabled', {
  timeout: 60_000,
}, async () => {
  using scratch = new Scratch();
  await using collector = await startCollector();
  const data = join(scratch.path, 'data');
  await using _ = await scratch.start(['up', '--data-dir', data, '--port', '0', '--systems', 'pipelines'], /Ctrl-C/, {
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
  await using client = await openClient({ kubeconfig: join(data, 'kubeconfig') });
  const namespace = 'tekton-pipelines';
  await client.create(kinds.Secret, {
    metadata: { namespace, name: 'jaeger-creds' },
    stringData: { username: 'ada', password: 'pass' },
  });
  const configure = (settings: Record<string, string>) =>
    client.patch(kinds.ConfigMap, { namespace, name: 'config-tracing' }, mergePatch({ data: settings }));
  await configure({
    enabled: 'true',
    endpoint: `${collector.url}/v1/traces`,
    credentialsSecret: 'jaeger-creds',
  });
  const tracesOfNewRun = async () => {
    const { metadata } = await client.create(taskRun);
    const attribute = { key: 'k8s.key', value: { stringValue: `default/${metadata.name}` } };
    const spans = () =>
      collector.spans.filter(
        ({ name, attributes }) =>
          name === 'reconcile taskrun' && attributes.some((each) => JSON.stringify(each) === JSON.stringify(attribute)),
      );
    return { name: metadata.name ?? '', spans };
  };
  // The controller watches its settings: the first runs may come before them.
  await expect
    .poll(async () => (await tracesOfNewRun()) && collector.spans.length, { timeout: 30_000, interval: 300 })
    .toBeGreaterThan(0);
  const { name, spans } = await tracesOfNewRun();
  await expect.poll(() => spans().length, { timeout: 20_000 }).toBeGreaterThan(0);
  const { spanContext } = ((await client.get(taskRun, { namespace: 'default', name })).status ?? {}) as {
    readonly spanContext?: { readonly traceparent?: string };
  };
  expect(spanContext?.traceparent).toContain(spans()[0]?.traceId);
  expect(new Set(collector.authorizations)).toEqual(new Set([`Basic ${Buffer.from('ada:pass').toString('base64')}`]));
});
