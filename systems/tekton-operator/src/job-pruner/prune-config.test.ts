import type { KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { PrunerSettings } from '../kinds/pruner-fields.ts';
import { groupBySchedule, isClusterNamespace, pruneConfigOf, pruneList } from './prune-config.ts';
import { decideCronJobs, pruneCronJob } from './prune-cron-jobs.ts';

const settings: PrunerSettings = { disabled: false, keep: 100, resources: ['pipelinerun'], schedule: '0 8 * * *' };
const since: PrunerSettings = { disabled: false, 'keep-since': 60, resources: ['taskrun'], schedule: '0 8 * * *' };
const unscheduled: PrunerSettings = { disabled: false, keep: 100, resources: ['pipelinerun'] };

const namespace = (annotations: Record<string, string> = {}, name = 'ns') => ({
  metadata: {
    name,
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`operator.tekton.dev/prune.${key}`, value]),
    ),
  },
});

describe('what a namespace says about pruning', () => {
  it.each<[string, Record<string, string>, PrunerSettings, string | undefined, string?]>([
    ['nothing', {}, settings, 'ns;--keep=100;pipelinerun;false'],
    ['nothing, by age', {}, since, 'ns;--keep-since=60;taskrun;false'],
    ['nothing, and there is no schedule', {}, unscheduled, undefined],
    ['its own schedule', { schedule: '*/5 * * * *' }, unscheduled, 'ns;--keep=100;pipelinerun;false', '*/5 * * * *'],
    ['not to be pruned', { skip: ' True ' }, settings, undefined],
    ['how many', { keep: '5' }, settings, 'ns;--keep=5;pipelinerun;false'],
    [
      'how many, and how old',
      { keep: '5', 'keep-since': '9' },
      settings,
      'ns;--keep=5,--keep-since=9;pipelinerun;false',
    ],
    [
      'how old, where the settings say how many',
      { 'keep-since': '9' },
      settings,
      'ns;--keep=100,--keep-since=9;pipelinerun;false',
    ],
    ['only by number', { strategy: 'keep', 'keep-since': '9' }, settings, 'ns;--keep=100;pipelinerun;false'],
    ['only by age', { strategy: 'Keep-Since', 'keep-since': '9' }, settings, 'ns;--keep-since=9;pipelinerun;false'],
    ['only by age, and does not say how old', { strategy: 'keep-since' }, settings, undefined],
    [
      'only by age, and the settings say how old',
      { strategy: 'keep-since' },
      since,
      'ns;--keep-since=60;taskrun;false',
    ],
    ['a strategy that there is not', { strategy: 'some' }, settings, undefined],
    ['a number that is none', { keep: 'many' }, settings, undefined],
    ['a number with a space', { keep: ' 5' }, settings, undefined],
    ['none at all', { keep: '0' }, settings, undefined],
    ['which kinds, by their short names', { resources: 'tr, PR' }, settings, 'ns;--keep=100;pipelinerun,taskrun;false'],
    ['one kind that there is not', { resources: 'pods,tr' }, settings, 'ns;--keep=100;taskrun;false'],
    ['only kinds that there are not', { resources: 'pods' }, settings, undefined],
    ['each on its own', { 'prune-per-resource': 'true' }, settings, 'ns;--keep=100;pipelinerun;true'],
    [
      'not each on its own',
      { 'prune-per-resource': 'no' },
      { ...settings, 'prune-per-resource': true },
      'ns;--keep=100;pipelinerun;false',
    ],
  ])('is read where it sets %s', (_, annotations, given, list, schedule = given.schedule) => {
    const config = pruneConfigOf(namespace(annotations), given);
    expect(config && pruneList([config])).toBe(list);
    if (list !== undefined) expect(config?.schedule).toBe(schedule);
  });

  it.each(['kube-system', 'openshift-pipelines', 'dedicated-admin', 'kube-public'])('%s is left alone', (name) => {
    expect(isClusterNamespace(name)).toBe(true);
    expect(pruneConfigOf(namespace({}, name), settings)).toBeUndefined();
  });
});

describe('the CronJobs', () => {
  const owner = { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'a', uid: '1' } } as KubeObject;
  const options = {
    owner,
    namespace: 'tekton',
    image: 'tkn',
    settings,
    scheduling: {},
    platform: 'kubernetes',
  } as const;
  const configs = [
    namespace({}, 'b'),
    namespace({ schedule: '* * * * *' }, 'c'),
    namespace({ keep: '3' }, 'a'),
  ].flatMap((item) => pruneConfigOf(item, settings) ?? []);
  const jobs = [...groupBySchedule(configs)].map(([schedule, group]) => pruneCronJob(schedule, group, options));

  it('there is one for each schedule, with its namespaces in order', () => {
    expect(jobs.map(({ spec }) => spec?.schedule)).toEqual(['0 8 * * *', '* * * * *']);
    const container = jobs[0]?.spec?.jobTemplate?.spec?.template?.spec?.containers?.[0];
    expect(container?.args).toEqual(['-s', 'a;--keep=3;pipelinerun;false b;--keep=100;pipelinerun;false']);
    expect(jobs[0]?.spec).toMatchObject({ concurrencyPolicy: 'Forbid', successfulJobsHistoryLimit: 2 });
    expect(jobs[0]?.spec?.jobTemplate?.spec?.template?.spec?.securityContext).toMatchObject({ runAsUser: 65_532 });
  });

  it('on OpenShift the platform says who they run as', () => {
    const [job] = [pruneCronJob('* * * * *', configs, { ...options, platform: 'openshift' })];
    expect(job?.spec?.jobTemplate?.spec?.template?.spec?.securityContext).not.toHaveProperty('runAsUser');
  });

  it('those that are right stay, all others go', () => {
    const live = jobs.map((job, index) => ({ ...job, metadata: { ...job.metadata, name: `job-${index}` } }));
    expect(decideCronJobs(live, jobs)).toEqual({ create: [], remove: [] });
    const stranger = { ...jobs[0], metadata: { name: 'stranger' } } as (typeof jobs)[number];
    const decided = decideCronJobs([live[0] as never, live[0] as never, stranger], jobs);
    expect(decided.create.map(({ spec }) => spec?.schedule)).toEqual(['* * * * *']);
    expect(decided.remove.map(({ metadata }) => metadata.name)).toEqual(['job-0', 'stranger']);
  });
});
