import { join } from 'node:path';
import { type Client, kinds, openClient } from '@tektite/client';
import type { Condition, KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { repository, Scratch } from '../test-support.ts';

const systems = ['pipelines', 'triggers', 'tekton-operator', 'connectors', 'byoh'] as const;
const pairs = systems.flatMap((one, index) => systems.slice(index + 1).map((other) => [one, other]));
const combinations: readonly (readonly string[])[] = [...systems.map((one) => [one]), ...pairs, systems];
const stops: readonly NodeJS.Signals[] = ['SIGINT', 'SIGKILL', 'SIGTERM'];
const payload = join(repository, 'examples/connectors/kodata');
const taskRuns = { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' };

const taskRun = (name: string, script: string) =>
  ({
    ...taskRuns,
    metadata: { namespace: 'default', name },
    spec: { taskSpec: { steps: [{ name: 'work', image: 'bash', script }] } },
  }) as KubeObject;

async function succeeded(client: Client, name: string): Promise<string | undefined> {
  const { status } = await client.get(taskRuns, { namespace: 'default', name });
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly Condition[] };
  return conditions.find(({ type }) => type === 'Succeeded')?.status;
}

describe('tektite up', () => {
  it.each(combinations.map((names) => [names]))(
    'starts again on its folder after every kind of stop, with %j',
    {
      timeout: 120_000,
    },
    async (names) => {
      using scratch = new Scratch();
      // The operator installs programs that take their time; whether they run is another test's question.
      const runtime = names.includes('tekton-operator') ? 'simulated' : 'host';
      const data = join(scratch.path, 'data');
      const args = ['up', '--data-dir', data, '--port', '0', '--runtime', runtime, '--payload', payload];
      const start = () => scratch.start([...args, '--systems', names.join(',')], /Ctrl-C/);
      const connect = () => openClient({ kubeconfig: join(data, 'kubeconfig') });
      {
        await using first = await start();
        await using client = await connect();
        if (names.includes('pipelines')) await client.create(taskRun('stopped', 'sleep 600'));
        await first.stop(stops[0]);
      }
      // Every stop twice, and for pairs, of which there are many, once.
      for (const signal of [...stops.slice(1), ...(names.length === 2 ? [] : stops)]) {
        await using again = await start();
        const { code } = await again.stop(signal);
        expect(code, again.output).toBe(signal === 'SIGKILL' ? null : 0);
        expect(again.output).not.toMatch(/\n {4}at /);
      }
      await using last = await start();
      await using client = await connect();
      if (names.includes('pipelines')) {
        const soon = <T>(read: () => T) => expect.poll(read, { timeout: 30_000 });
        // Containers end with the process that runs them, as with a machine that restarts.
        await soon(() => succeeded(client, 'stopped')).toBe(runtime === 'host' ? 'False' : 'True');
        await client.create(taskRun('next', 'echo done'));
        await soon(() => succeeded(client, 'next')).toBe('True');
        const pods = (await client.list(kinds.Pod, { namespace: 'default' })).items.map(
          ({ metadata }) => metadata.name,
        );
        expect(new Set(pods)).toEqual(new Set(['next-pod', 'stopped-pod']));
      }
      await last.stop();
    },
  );

  it('starts with other systems than before, whose webhooks then deny nothing', { timeout: 120_000 }, async () => {
    using scratch = new Scratch();
    const settings = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        namespace: 'tekton-pipelines',
        name: 'feature-flags',
        labels: { 'app.kubernetes.io/part-of': 'tekton-pipelines' },
      },
      data: { 'enable-api-fields': 'nonsense' },
    } as KubeObject;
    const update = async (kubeconfig: string) => {
      await using client = await openClient({ kubeconfig });
      await client.update(settings);
    };
    {
      await using up = await scratch.up('--systems', 'pipelines');
      await expect(update(up.kubeconfig)).rejects.toThrow('denied the request');
      await up.stop('SIGKILL');
    }
    for (const args of [['--systems', 'byoh'], []]) {
      await using up = await scratch.up(...args);
      if (args.length > 0)
        expect(up.output).toMatch(/note: webhooks of systems that do not run now are removed: .*--systems/);
      await update(up.kubeconfig);
      await up.stop();
    }
  });
});
