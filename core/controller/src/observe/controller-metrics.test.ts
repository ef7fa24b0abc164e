import { kinds } from '@tektite/client';
import { startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { defineController } from '../reconcile/controller-definition.ts';
import { Manager } from '../reconcile/manager.ts';
import { terminallyFailed, requeueAfter } from '../reconcile/result.ts';
import { controllerMetrics, observeInformers } from './controller-metrics.ts';
import { MeterRecorder } from './test-support.ts';

const namespace = 'default';
const name = { name: 'maps' };
const controller = { controller: 'maps' };

describe('the metrics of a controller', () => {
  it('have the names that dashboards for client-go and controller-runtime use', () => {
    const meter = new MeterRecorder();
    controllerMetrics(meter);
    expect([...meter.names].sort()).toEqual([
      'controller_runtime_active_workers',
      'controller_runtime_reconcile_time_seconds',
      'controller_runtime_reconcile_total',
      'workqueue_adds_total',
      'workqueue_depth',
      'workqueue_longest_running_processor_seconds',
      'workqueue_queue_duration_seconds',
      'workqueue_retries_total',
      'workqueue_unfinished_work_seconds',
      'workqueue_work_duration_seconds',
    ]);
  });

  it('count reconciles by how they ended, time them, and count retries', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock });
    const meter = new MeterRecorder();
    const manager = new Manager(plane.client, { metrics: controllerMetrics(meter), graceMs: 0 });
    const outcomes: Record<string, () => unknown> = {
      done: () => undefined,
      later: () => requeueAfter(3_600_000),
      never: () => terminallyFailed(new Error('no use')),
    };
    let failures = 0;
    manager.add(
      defineController({
        name: 'maps',
        kind: kinds.ConfigMap,
        namespace,
        async reconcile(map, { clock: own }) {
          await new Promise((resolve) => void own.setTimer(2000, () => resolve(undefined)));
          if (map.metadata.name === 'fails' && failures++ < 2) throw new Error('not yet');
          return outcomes[map.metadata.name ?? '']?.() as undefined;
        },
      }),
    );
    manager.start();
    await clock.until(manager.synced());
    for (const each of ['done', 'later', 'never', 'fails'])
      await clock.until(plane.client.create(kinds.ConfigMap, { metadata: { namespace, name: each } }));
    await clock.advance(1000);
    expect(meter.read('controller_runtime_active_workers', controller)).toBe(4);
    expect(meter.read('workqueue_depth', name)).toBe(0);
    expect(meter.read('workqueue_longest_running_processor_seconds', name)).toBeCloseTo(1, 1);
    expect(meter.read('workqueue_unfinished_work_seconds', name)).toBeCloseTo(4, 1);
    await clock.advance(60_000);
    const total = (result: string) => meter.read('controller_runtime_reconcile_total', { ...controller, result });
    expect([total('done'), total('requeueAfter'), total('terminalError'), total('error')]).toEqual([2, 1, 1, 2]);
    expect(meter.read('workqueue_retries_total', name)).toBe(2);
    expect(meter.read('workqueue_adds_total', name)).toBe(6);
    expect(meter.read('controller_runtime_active_workers', controller)).toBe(0);
    const times = meter.values('controller_runtime_reconcile_time_seconds', controller);
    expect(times).toHaveLength(6);
    for (const time of [...times, ...meter.values('workqueue_work_duration_seconds', name)])
      expect(time).toBeCloseTo(2, 1);
    expect(meter.values('workqueue_queue_duration_seconds', name)).toHaveLength(6);
    await manager.stop();
  });

  it('show how caches are: complete, following, how long nothing was heard', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock });
    const meter = new MeterRecorder();
    const manager = new Manager(plane.client, { graceMs: 0 });
    observeInformers(meter, manager.informers);
    manager.add(defineController({ name: 'maps', kind: kinds.ConfigMap, namespace, reconcile: () => undefined }));
    manager.start();
    await clock.until(manager.synced());
    const [informer = ''] = manager.informers.health().keys();
    const of = { informer };
    expect(informer).toContain('ConfigMap');
    expect(meter.read('informer_synced', of)).toBe(1);
    expect(meter.read('informer_healthy', of)).toBe(1);
    expect(meter.read('informer_restarts', of)).toBe(0);
    const before = meter.read('informer_lag_seconds', of) ?? Number.NaN;
    await clock.advance(5000);
    expect((meter.read('informer_lag_seconds', of) ?? 0) - before).toBeCloseTo(5, 1);
    await manager.stop();
  });
});
