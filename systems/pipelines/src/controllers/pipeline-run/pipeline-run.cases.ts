import { kinds, mergePatch } from '@tektite/client';
import { installKinds, Manager } from '@tektite/controller';
import type { Kind } from '@tektite/schema';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { strippingTransforms } from '../../cache/cache-transforms.ts';
import { standardDefaults } from '../../config/config-defaults.ts';
import { defaultFeatureFlags } from '../../config/feature-flags.ts';
import { CustomRun, Pipeline, PipelineRun, Task, TaskRun } from '../../kinds/kinds.ts';
import type { PipelineRunSpec } from '../../kinds/pipeline-run-spec.ts';
import { ResolutionRequest } from '../../kinds/resolution-request.ts';
import { pipelineRunController } from './controller.ts';
import { task } from './test-support.ts';

/** Cases of PipelineRuns on any server, real or embedded; TaskRuns are completed by hand. `adapt`: for old servers. */
export function pipelineRunCases(cluster: () => Cluster, adapt: (kind: Kind) => Kind = (kind) => kind): void {
  const namespace = 'runs';
  let manager: Manager;

  beforeAll(async () => {
    const { client } = cluster();
    await client.create(kinds.Namespace, { metadata: { name: namespace } });
    const needed: readonly Kind[] = [Task, TaskRun, Pipeline, PipelineRun, CustomRun, ResolutionRequest];
    await installKinds(client, needed.map(adapt));
    manager = new Manager(client, { name: 'PipelineRun', graceMs: 0 });
    const settings = { flags: () => defaultFeatureFlags, defaults: () => standardDefaults };
    manager.add(pipelineRunController({ ...settings, nopImage: 'nop', transforms: strippingTransforms }));
    await manager.start().synced();
  }, 60_000);

  afterAll(() => manager?.stop());

  const create = (name: string, spec: PipelineRunSpec) =>
    cluster().client.create(PipelineRun, { metadata: { namespace, name }, spec });
  const eventually = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 20_000, interval: 50 });
  const message = async (name: string) => {
    const {
      status,
      reason,
      message: text,
    } = (await cluster().client.get(PipelineRun, { namespace, name })).status?.conditions?.[0] ?? {};
    return `${status} ${reason}: ${text}`;
  };

  /** Ends a TaskRun as soon as it is there. */
  async function end(name: string, how: 'True' | 'False', value?: string): Promise<void> {
    const { client } = cluster();
    await eventually(async () => {
      const results = value === undefined ? [] : [{ name: 'r', type: 'string', value }];
      const status = { podName: 'p', conditions: [{ type: 'Succeeded', status: how, reason: 'R' }], results };
      await client.patchStatus(TaskRun, { namespace, name }, mergePatch({ status }));
    });
  }

  it('runs tasks in their order, and hands results on', async () => {
    await create('order', {
      pipelineSpec: {
        tasks: [task('b', { params: [{ name: 'p', value: '$(tasks.a.results.r)' }] }), task('a')],
        results: [{ name: 'out', value: '$(tasks.a.results.r)' }],
      },
    });
    await end('order-a', 'True', 'hello');
    await end('order-b', 'True');
    await eventually(async () =>
      expect(await message('order')).toBe('True Succeeded: Tasks Completed: 2 (Failed: 0, Cancelled 0), Skipped: 0'),
    );
    const { client } = cluster();
    expect((await client.get(TaskRun, { namespace, name: 'order-b' })).spec.params).toEqual([
      { name: 'p', value: 'hello' },
    ]);
    expect((await client.get(PipelineRun, { namespace, name: 'order' })).status?.results).toEqual([
      { name: 'out', value: 'hello' },
    ]);
  });

  it('runs a matrix, skips, fails, and ends with its final tasks', async () => {
    await create('wide', {
      pipelineSpec: {
        tasks: [
          task('m', { matrix: { params: [{ name: 'x', value: ['1', '2', '3'] }] } }),
          task('no', { when: [{ input: 'a', operator: 'in', values: ['b'] }] }),
          task('after', { runAfter: ['m'] }),
        ],
        finally: [task('f')],
      },
    });
    for (const index of [0, 1]) await end(`wide-m-${index}`, 'True');
    await end('wide-m-2', 'False');
    await end('wide-f', 'True');
    await eventually(async () =>
      expect(await message('wide')).toBe('False Failed: Tasks Completed: 2 (Failed: 1, Cancelled 0), Skipped: 2'),
    );
  });

  it('ends when a user wants it to', async () => {
    await create('cut', { pipelineSpec: { tasks: [task('a')] } });
    const { client } = cluster();
    await eventually(async () => void (await client.get(TaskRun, { namespace, name: 'cut-a' })));
    await client.patch(PipelineRun, { namespace, name: 'cut' }, mergePatch({ spec: { status: 'Cancelled' } }));
    await eventually(async () => expect(await message('cut')).toBe('False Cancelled: PipelineRun "cut" was cancelled'));
    expect((await client.get(TaskRun, { namespace, name: 'cut-a' })).spec.status).toBe('TaskRunCancelled');
  });
}
