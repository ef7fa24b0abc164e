import { type Client, kinds } from '@tektite/client';
import { installKinds, type RunningSystems, startSystems } from '@tektite/controller';
import { formatTime } from '@tektite/meta';
import { defineKind, s } from '@tektite/schema';
import { formatYaml } from '@tektite/schema/yaml';
import { type ControlPlane, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { historyLimit, type PrunerSettings, timeToLive } from './prune-limits.ts';
import type { PrunedRun } from './pruned-run.ts';
import { prunerSystem } from './pruner-system.ts';

const open = s.raw<object>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }).optional();
const run = (kind: string) =>
  defineKind({ group: 'tekton.dev', version: 'v1', kind, fields: { spec: open, status: open } });
const [PipelineRun, TaskRun] = [run('PipelineRun'), run('TaskRun')];
const namespace = 'shop';

describe('on a server', () => {
  let clock: VirtualClock;
  let plane: ControlPlane;
  let client: Client;
  let running: RunningSystems;

  beforeEach(async () => {
    clock = virtualClock();
    plane = await startControlPlane({ clock });
    client = plane.client;
    await installKinds(client, [PipelineRun, TaskRun]);
    for (const name of ['tekton-pipelines', namespace, 'other'])
      await client.create(kinds.Namespace, { metadata: { name } });
    running = await clock.until(startSystems([prunerSystem()], { client, graceMs: 0 }));
  });
  afterEach(async () => {
    await clock.until(running.stop());
    await plane.close();
  });

  const configure = (name: string, key: string, where: string, value: object) =>
    client.apply(
      kinds.ConfigMap,
      { metadata: { name, namespace: where }, data: { [key]: formatYaml(value) } },
      { force: true },
    );
  const global = (value: object) => configure('tekton-pruner-default-spec', 'global-config', 'tekton-pipelines', value);

  /** A run that ended. */
  async function finish(
    name: string,
    more: { status?: string; labels?: object; where?: string; kind?: typeof TaskRun; owner?: object } = {},
  ) {
    const { status = 'True', labels = {}, where = namespace, kind = PipelineRun, owner } = more;
    await clock.advance(1000);
    const metadata = { namespace: where, name, labels, ...(owner ? { ownerReferences: [owner] } : {}) };
    const created = await client.create(kind, { metadata } as never);
    const conditions = [{ type: 'Succeeded', status }];
    const done = { ...created, status: { conditions, completionTime: formatTime(clock.now()) } };
    await client.updateStatus(kind, done as never);
    await clock.advance(100);
  }
  const left = async (kind = PipelineRun) =>
    (await client.list(kind)).items.map(({ metadata }) => metadata.name ?? '').toSorted();

  it('keeps the configured number of runs in each namespace, failed ones separately', async () => {
    await global({ enforcedConfigLevel: 'global', historyLimit: 2, failedHistoryLimit: 1 });
    for (const name of ['a', 'b', 'c']) await finish(name);
    for (const name of ['x', 'y']) await finish(name, { status: 'False' });
    await finish('elsewhere', { where: 'other' });
    await clock.advance(5000);
    expect(await left()).toEqual(['b', 'c', 'elsewhere', 'y']);
  });

  it('deletes runs some time after their end, and says before how long that is', async () => {
    await global({ enforcedConfigLevel: 'global', ttlSecondsAfterFinished: 60 });
    await finish('a');
    await client.create(PipelineRun, { metadata: { namespace, name: 'running' } } as never);
    await clock.advance(5000);
    const { metadata } = await client.get(PipelineRun, { namespace, name: 'a' });
    expect(metadata.annotations?.['pruner.tekton.dev/ttlSecondsAfterFinished']).toBe('60');
    await clock.advance(60_000);
    expect(await left()).toEqual(['running']);
  });

  it('follows a change of its settings', async () => {
    await finish('a');
    await clock.advance(3_600_000);
    expect(await left()).toEqual(['a']);
    await global({ enforcedConfigLevel: 'global', ttlSecondsAfterFinished: 60 });
    await clock.advance(5000);
    expect(await left()).toEqual([]);
  });

  it('lets a namespace have local rules, by name and by label', async () => {
    await global({ enforcedConfigLevel: 'namespace', historyLimit: 5 });
    await configure('tekton-pruner-namespace-spec', 'ns-config', namespace, {
      historyLimit: 4,
      pipelineRuns: [
        { name: 'build', successfulHistoryLimit: 1 },
        { selector: [{ matchLabels: { team: 'blue' } }], historyLimit: 0 },
      ],
    });
    const build = { 'tekton.dev/pipeline': 'build' };
    for (const name of ['build-1', 'build-2']) await finish(name, { labels: build });
    await finish('blue', { labels: { team: 'blue' } });
    for (const name of ['plain-1', 'plain-2']) await finish(name);
    await clock.advance(5000);
    expect(await left()).toEqual(['build-2', 'plain-1', 'plain-2']);
  });

  it('prunes TaskRuns too, but not those that go with their PipelineRun', async () => {
    await global({ enforcedConfigLevel: 'global', historyLimit: 0 });
    await finish('alone', { kind: TaskRun });
    const owner = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun', name: 'p', uid: '1' };
    await finish('part', { kind: TaskRun, owner });
    await clock.advance(5000);
    expect(await left(TaskRun)).toEqual(['part']);
  });

  it('deletes nothing because of settings that cannot be read', async () => {
    await client.apply(
      kinds.ConfigMap,
      {
        metadata: { name: 'tekton-pruner-default-spec', namespace: 'tekton-pipelines' },
        data: { 'global-config': '{: [' },
      },
      { force: true },
    );
    await finish('a');
    await clock.advance(60_000);
    expect(await left()).toEqual(['a']);
  });
});

describe('which limit holds', () => {
  const made: PrunedRun = {
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { namespace, name: 'r', labels: { 'tekton.dev/pipeline': 'build' } },
  };
  const settings = (global: PrunerSettings['global'], own?: object): PrunerSettings => ({
    global,
    namespaces: new Map(own ? [[namespace, own]] : []),
  });

  it.each<[string, PrunerSettings, number | undefined]>([
    [
      'that of all',
      settings({ enforcedConfigLevel: 'global', historyLimit: 3, namespaces: { [namespace]: { historyLimit: 1 } } }),
      3,
    ],
    ['the finer one', settings({ enforcedConfigLevel: 'global', historyLimit: 3, successfulHistoryLimit: 2 }), 2],
    [
      'that of the namespace among all',
      settings({ enforcedConfigLevel: 'resource', historyLimit: 3, namespaces: { [namespace]: { historyLimit: 1 } } }),
      1,
    ],
    [
      'none, when the namespace has rules without a number',
      settings({ enforcedConfigLevel: 'resource', historyLimit: 3, namespaces: { [namespace]: {} } }),
      undefined,
    ],
    [
      'that of the Pipeline',
      settings({
        historyLimit: 3,
        namespaces: { [namespace]: { pipelineRuns: [{ name: 'build', historyLimit: 7 }] } },
      }),
      7,
    ],
    ["the namespace's own", settings({ enforcedConfigLevel: 'namespace', historyLimit: 3 }, { historyLimit: 4 }), 4],
    [
      'that of all, where the namespace says nothing',
      settings({ enforcedConfigLevel: 'namespace', historyLimit: 3 }, {}),
      3,
    ],
    [
      "not the namespace's own, where it is not asked",
      settings({ enforcedConfigLevel: 'global', historyLimit: 3 }, { historyLimit: 4 }),
      3,
    ],
    [
      'that of a namespace may ask for another level',
      settings(
        {
          enforcedConfigLevel: 'global',
          historyLimit: 3,
          namespaces: { [namespace]: { enforcedConfigLevel: 'namespace' } },
        },
        { historyLimit: 4 },
      ),
      4,
    ],
  ])('chooses %s', (_, given, limit) => {
    expect(historyLimit(made, 'PipelineRun', 'succeeded', given).limit).toBe(limit);
  });

  it('the time to live has its own', () => {
    expect(timeToLive(made, 'PipelineRun', settings({ historyLimit: 3 }))).toBeUndefined();
    expect(timeToLive(made, 'PipelineRun', settings({ ttlSecondsAfterFinished: 9 }))).toBe(9);
  });
});
