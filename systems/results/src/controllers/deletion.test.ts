import { parseLabelSelector, selectEverything } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { WatcherConfig } from '../config/watcher-config.ts';
import type { Run } from '../kinds/runs.ts';
import { deletionOf } from './deletion.ts';

const now = Date.parse('2026-01-02T03:10:00Z');
const config: WatcherConfig = {
  gracePeriodMs: 600_000,
  checkOwner: true,
  labelSelector: selectEverything,
  logs: true,
  events: true,
  onlyCompleted: true,
  requeueMs: 1000,
  storeDeadlineMs: 1000,
  summaryLabels: [],
  managedBy: new Set(),
};

const run = (metadata: Run['metadata'] = {}): Run => ({
  apiVersion: 'tekton.dev/v1',
  kind: 'TaskRun',
  metadata,
  status: { completionTime: '2026-01-02T03:05:00Z' },
});

const owned = (kind: string) => run({ ownerReferences: [{ apiVersion: 'v1', kind, name: 'a', uid: 'u' }] });

describe('an archived run', () => {
  it('is kept without a grace period, and deleted at once with a negative one', () => {
    expect(deletionOf(run(), { ...config, gracePeriodMs: 0 }, now)).toEqual({ type: 'keep' });
    expect(deletionOf(run(), { ...config, gracePeriodMs: -1 }, now)).toEqual({ type: 'delete' });
  });

  it('is deleted when the grace period since its completion has passed', () => {
    expect(deletionOf(run(), config, now)).toEqual({ type: 'wait', milliseconds: 300_000 });
    expect(deletionOf(run(), config, now + 300_000)).toEqual({ type: 'delete' });
  });

  it('is left to its owner, of which a PipelineRun always counts', () => {
    const settings = { ...config, gracePeriodMs: -1 };
    expect(deletionOf(owned('CronJob'), settings, now)).toEqual({ type: 'keep' });
    expect(deletionOf(owned('CronJob'), { ...settings, checkOwner: false }, now)).toEqual({ type: 'delete' });
    expect(deletionOf(owned('PipelineRun'), { ...settings, checkOwner: false }, now)).toEqual({ type: 'keep' });
  });

  it('is deleted only with the labels that are asked for', () => {
    const settings = { ...config, gracePeriodMs: -1, labelSelector: parseLabelSelector('keep!=yes') };
    expect(deletionOf(run({ labels: { keep: 'yes' } }), settings, now)).toEqual({ type: 'wait', milliseconds: 1000 });
    expect(deletionOf(run(), settings, now)).toEqual({ type: 'delete' });
  });
});
