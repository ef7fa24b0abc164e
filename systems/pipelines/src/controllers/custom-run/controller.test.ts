import { installKinds, Manager } from '@tektite/controller';
import { type ControlPlane, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CustomRunSpec } from '../../kinds/custom-run-spec.ts';
import { CustomRun } from '../../kinds/kinds.ts';
import { customTaskController } from './controller.ts';

const namespace = 'default';
const customRef = { apiVersion: 'example.com/v1', kind: 'Thing' };
let plane: ControlPlane;
let clock: VirtualClock;
let manager: Manager;
let stopped: string[];

beforeEach(async () => {
  clock = virtualClock();
  stopped = [];
  plane = await startControlPlane({ clock });
  await clock.until(installKinds(plane.client, [CustomRun]));
  manager = new Manager(plane.client, { name: 'thing', graceMs: 0 });
  manager.add(
    customTaskController({
      name: 'thing',
      ...customRef,
      work({ spec }, { startedAt, clock: time }) {
        const value = (name: string) => spec.params?.find((param) => param.name === name)?.value;
        if (value('bad')) return { state: 'failed', reason: 'Bad', message: 'as it was told' };
        const left = Number(value('seconds') ?? 10) * 1000 - (time.now() - startedAt);
        if (left > 0) return { state: 'running', message: 'at work', requeueMs: left };
        return { state: 'succeeded', results: [{ name: 'r', value: 'done' }] };
      },
      stop: ({ metadata }) => void stopped.push(metadata.name ?? ''),
    }),
  );
  await clock.until(manager.start().synced());
});

afterEach(async () => {
  await manager.stop();
  await plane.close();
});

async function create(spec: CustomRunSpec): Promise<void> {
  await plane.client.create(CustomRun, { metadata: { namespace, name: 'c' }, spec });
  await clock.advance(100);
}

const status = async () => (await plane.client.get(CustomRun, { namespace, name: 'c' })).status ?? {};
const reason = async () => (await status()).conditions?.[0]?.reason;

describe('a custom task', () => {
  it('runs, and reports its results', async () => {
    await create({ customRef });
    expect(await status()).toMatchObject({
      conditions: [{ status: 'Unknown', reason: 'Running', message: 'at work' }],
    });
    await clock.advance(10_000);
    expect(await status()).toMatchObject({
      conditions: [{ status: 'True', reason: 'Succeeded' }],
      results: [{ name: 'r', value: 'done' }],
      completionTime: expect.any(String) as string,
    });
  });

  it('within a Pipeline is one, too', async () => {
    await create({ customSpec: { ...customRef, spec: {} } });
    expect(await reason()).toBe('Running');
  });

  it('of another kind is left alone', async () => {
    await create({ customRef: { ...customRef, kind: 'Other' } });
    expect(await status()).toEqual({});
  });

  it('is cancelled, and what it began is stopped', async () => {
    await create({ customRef });
    const body = { spec: { status: 'RunCancelled', statusMessage: 'Enough.' } };
    await plane.client.patch(
      CustomRun,
      { namespace, name: 'c' },
      { contentType: 'application/merge-patch+json', body },
    );
    await clock.advance(100);
    expect((await status()).conditions?.[0]).toMatchObject({
      status: 'False',
      reason: 'CustomRunCancelled',
      message: 'CustomRun "c" was cancelled. Enough.',
    });
    expect(stopped).toEqual(['c']);
  });

  it('times out, after all its retries', async () => {
    await create({ customRef, timeout: '5s', retries: 1 });
    await clock.advance(5000);
    expect((await status()).retriesStatus).toMatchObject([{ conditions: [{ reason: 'CustomRunTimedOut' }] }]);
    await clock.advance(6000);
    expect((await status()).conditions?.[0]).toMatchObject({
      status: 'False',
      reason: 'CustomRunTimedOut',
      message: 'CustomRun "c" failed to finish within "5s"',
    });
  });

  it('that fails is tried again as often as it says', async () => {
    await create({ customRef, retries: 2, params: [{ name: 'bad', value: 'yes' }] });
    await clock.advance(1000);
    expect(await status()).toMatchObject({ conditions: [{ reason: 'Bad' }], retriesStatus: [{}, {}] });
  });
});
