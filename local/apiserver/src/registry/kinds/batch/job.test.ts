import { describe, expect, it } from 'vitest';
import { created, createErrors, defaulted, objectOf, updateErrors } from '../test-support.ts';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
const job = (spec: object = {}) => objectOf('batch/v1', 'Job', { spec: { template, ...spec } });
const cronJob = (spec: object) =>
  objectOf('batch/v1', 'CronJob', { spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec } });

describe('a new Job is refused', () => {
  it.each<[string, object, string[]]>([
    ['for nothing', {}, []],
    [
      'when its Pods run forever',
      { template: { spec: { ...template.spec, restartPolicy: 'Always' } } },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'with fewer than no Pods',
      { parallelism: -1 },
      ['spec.parallelism: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'when it is indexed without an end',
      { completionMode: 'Indexed', completions: undefined, parallelism: 2 },
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
  ])('%s', (_, spec, expected) => {
    const errors = createErrors(job(spec));
    if (expected.length === 0) expect(errors).toEqual([]);
    for (const error of expected) expect(errors).toContain(error);
  });
});

it('a Job keeps its template', () => {
  const errors = updateErrors(job(), (object) => {
    object.spec.template.spec.containers[0].image = 'other';
  });
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(/^spec\.template: Invalid value: \{.*\}: field is immutable$/);
});

it('a Job selects its Pods by its own identity', () => {
  const { spec } = created(job());
  expect(spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } });
  expect(spec.template.metadata.labels).toMatchObject({ 'job-name': 'x', 'controller-uid': 'u' });
});

it('fills in what a Job lacks', () => {
  expect(defaulted(job()).spec).toMatchObject({
    completions: 1,
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
  });
});

describe('a new CronJob is refused', () => {
  it.each<[string, object, string[]]>([
    [
      'with an invalid schedule',
      { schedule: '* * *' },
      ['spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'],
    ],
    [
      'with an unknown policy',
      { concurrencyPolicy: 'Nope' },
      ['spec.concurrencyPolicy: Unsupported value: "Nope": supported values: "Allow", "Forbid", "Replace"'],
    ],
    [
      'in no time zone',
      { timeZone: 'Mars/Olympus' },
      ['spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus'],
    ],
  ])('%s', (_, spec, expected) => expect(createErrors(cronJob(spec))).toEqual(expected));
});
