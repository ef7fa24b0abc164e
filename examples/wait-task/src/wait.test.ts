import { startSystems } from '@tektite/controller';
import { PipelineRunKind, pipelinesSystem } from '@tektite/pipelines';
import { startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { system } from './index.ts';
import { waited, waitTask } from './wait.ts';

const images = { entrypoint: 'e', nop: 'n', sidecarLogResults: 'r', workingDirInit: 'd', shell: 's' };
const run = (params: readonly { readonly name: string; readonly value: string }[]) =>
  ({
    apiVersion: 'tekton.dev/v1beta1',
    kind: 'CustomRun',
    metadata: {},
    spec: { customRef: waitTask, params },
  }) as const;

describe('a wait', () => {
  it('completes when its duration has passed', () => {
    expect(waited(run([{ name: 'duration', value: '10s' }]), 4000)).toEqual({
      state: 'running',
      message: 'Waiting for 10s',
      requeueMs: 6000,
    });
    expect(waited(run([{ name: 'duration', value: '10s' }]), 10_000)).toMatchObject({ state: 'succeeded' });
  });

  it.each([
    [[], 'the parameter duration is missing'],
    [[{ name: 'other', value: 'x' }], 'there is no parameter other; only duration'],
    [[{ name: 'duration', value: 'soon' }], 'invalid duration'],
  ])('with the parameters %j is refused', (params, message) => {
    const progress = waited(run(params), 0);
    expect(progress).toMatchObject({ state: 'failed', reason: 'InvalidParams' });
    expect(progress.message).toContain(message);
  });
});

describe('a PipelineRun with waits', () => {
  it('takes as long as they do, one after the other, and has their results', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock });
    const webhooks = { host: plane.server.localWebhooks, service: { namespace: 'default', name: 'webhooks' } };
    const systems = [pipelinesSystem({ images }), system];
    const running = await clock.until(startSystems(systems, { client: plane.client, graceMs: 0, webhooks }));
    const wait = (duration: string) => ({ taskRef: waitTask, params: [{ name: 'duration', value: duration }] });
    const key = { namespace: 'default', name: 'pr' };
    await plane.client.create(PipelineRunKind, {
      metadata: key,
      spec: {
        pipelineSpec: {
          tasks: [
            { name: 'first', ...wait('20s') },
            { name: 'second', ...wait('$(tasks.first.results.waited)') },
            { name: 'never', ...wait('5m'), timeout: '1m0s', retries: 1 },
          ],
          results: [{ name: 'waited', value: '$(tasks.second.results.waited)' }],
        },
      },
    });
    await clock.advance(60_000);
    const { status } = await plane.client.get(PipelineRunKind, key);
    expect(status?.conditions?.[0]?.message).toBe(
      'Tasks Completed: 2 (Failed: 0, Cancelled 0), Incomplete: 1, Skipped: 0',
    );
    await clock.advance(61_000);
    const ended = (await plane.client.get(PipelineRunKind, key)).status;
    expect(ended?.conditions?.[0]).toMatchObject({ status: 'False', reason: 'Failed' });
    expect(ended?.results).toEqual([{ name: 'waited', value: '20s' }]);
    await running.stop();
  });
});
