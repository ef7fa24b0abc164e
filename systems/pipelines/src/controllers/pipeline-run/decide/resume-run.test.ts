import { expect, it } from 'vitest';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineSpec } from '../../../kinds/pipeline-spec.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { resumeRun } from './resume-run.ts';

function child(task: string, status: 'True' | 'False', results: object[] = []): TaskRun {
  return {
    apiVersion: 'tekton.dev/v1',
    kind: 'TaskRun',
    metadata: { name: `run-${task}`, labels: { 'tekton.dev/pipelineTask': task } },
    spec: {},
    status: { podName: '', conditions: [{ type: 'Succeeded', status }], results },
  } as unknown as TaskRun;
}

const pipelineSpec = {
  results: [
    { name: 'commit', value: '$(tasks.clone.results.commit)' },
    { name: 'both', value: '$(tasks.clone.results.commit)-$(tasks.build.results.image)' },
  ],
  tasks: [
    { name: 'clone', taskRef: { name: 'clone' } },
    {
      name: 'build',
      taskRef: { name: 'build' },
      runAfter: ['clone'],
      params: [
        { name: 'commit', value: '$(tasks.clone.results.commit)' },
        { name: 'files', value: ['$(tasks.clone.results.files[*])'] },
      ],
    },
    { name: 'deploy', taskRef: { name: 'deploy' }, runAfter: ['build'] },
  ],
  finally: [{ name: 'notify', taskRef: { name: 'notify' }, params: [{ name: 'how', value: '$(tasks.clone.status)' }] }],
} as unknown as PipelineSpec;

const run = {
  apiVersion: 'tekton.dev/v1',
  kind: 'PipelineRun',
  metadata: { name: 'run', namespace: 'team', uid: 'u', labels: { team: 'a', 'tekton.dev/pipeline': 'p' } },
  spec: {
    pipelineRef: { name: 'p' },
    status: 'Cancelled',
    params: [{ name: 'x', value: 'y' }],
    workspaces: [{ name: 'source', volumeClaimTemplate: { spec: {} } }],
  },
  status: { pipelineSpec },
} as unknown as PipelineRun;

const clone = child('clone', 'True', [
  { name: 'commit', value: 'abc' },
  { name: 'files', value: ['a', 'b'] },
]);

it('leaves out what succeeded, and puts its results where they were referred to', () => {
  const { run: resumed, reused, results } = resumeRun(run, [clone, child('build', 'False')]);
  expect(reused).toEqual(['clone']);
  expect(results).toEqual([{ name: 'commit', value: 'abc' }]);
  expect(resumed).toMatchObject({
    metadata: {
      generateName: 'run-r',
      namespace: 'team',
      labels: { team: 'a' },
      annotations: { 'tektite.dev/resumes': 'run' },
    },
  });
  const { spec } = resumed as unknown as PipelineRun;
  expect(spec.pipelineRef).toBeUndefined();
  expect(spec.status).toBeUndefined();
  expect(spec.params).toEqual([{ name: 'x', value: 'y' }]);
  expect(spec.pipelineSpec).toEqual({
    results: [{ name: 'both', value: 'abc-$(tasks.build.results.image)' }],
    tasks: [
      {
        name: 'build',
        taskRef: { name: 'build' },
        params: [
          { name: 'commit', value: 'abc' },
          { name: 'files', value: ['a', 'b'] },
        ],
      },
      { name: 'deploy', taskRef: { name: 'deploy' }, runAfter: ['build'] },
    ],
    finally: [{ name: 'notify', taskRef: { name: 'notify' }, params: [{ name: 'how', value: 'Succeeded' }] }],
  });
});

it('uses the files of the run before: claims made from a template are not recreated', () => {
  const { spec } = resumeRun(run, [clone]).run as unknown as PipelineRun;
  expect(spec.workspaces).toEqual([
    { name: 'source', persistentVolumeClaim: { claimName: expect.stringMatching(/^pvc-/) } },
  ]);
});

it('runs the final tasks when only they are left', () => {
  const all = [
    clone,
    child('build', 'True', [{ name: 'image', value: 'i' }]),
    child('deploy', 'True'),
    child('notify', 'False'),
  ];
  const { spec } = resumeRun(run, all).run as unknown as PipelineRun;
  expect(spec.pipelineSpec?.tasks?.map(({ name }) => name)).toEqual(['notify']);
  expect(spec.pipelineSpec?.finally).toBeUndefined();
});

it('gives the run of a run that was resumed no longer name each time', () => {
  const again = { ...run, metadata: { ...run.metadata, name: 'run-rabcde' } };
  expect(resumeRun(again, [clone]).run.metadata.generateName).toBe('run-r');
});
