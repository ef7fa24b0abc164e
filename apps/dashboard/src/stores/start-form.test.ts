import type { KubeObject } from '@tektite/meta';
import { expect, it } from 'vitest';
import { checkValues, formOfRun, runFromForm, runWithValues, startForm } from './start-form.ts';

const pipeline = {
  apiVersion: 'tekton.dev/v1',
  kind: 'Pipeline',
  metadata: { namespace: 'ci', name: 'release' },
  spec: {
    params: [
      { name: 'revision', type: 'string', description: 'The commit' },
      { name: 'level', type: 'string', default: 'patch', enum: ['patch', 'minor'] },
      { name: 'platforms', type: 'array', default: ['a'] },
    ],
    workspaces: [{ name: 'source' }, { name: 'cache', optional: true }],
  },
} as unknown as KubeObject;
const form = startForm(pipeline);

it('has a field for every param, with its type, choices, default and description', () => {
  expect(form.params).toEqual([
    { name: 'revision', type: 'string', description: 'The commit', choices: [], text: '', isRequired: true },
    { name: 'level', type: 'string', description: '', choices: ['patch', 'minor'], text: 'patch', isRequired: false },
    { name: 'platforms', type: 'array', description: '', choices: [], text: '["a"]', isRequired: false },
  ]);
});

it('names fields that are missing or of another type', () => {
  const values = { params: { platforms: 'a, b' }, workspaces: {}, serviceAccount: '' };
  expect([...checkValues(form, values).keys()]).toEqual(['revision', 'platforms', 'source']);
});

it('makes a run of what differs from the defaults', () => {
  const values = {
    params: { revision: 'main', level: 'patch', platforms: '["a","b"]' },
    workspaces: { source: 'claim:code', cache: '' },
    serviceAccount: 'builder',
  };
  expect(checkValues(form, values).size).toBe(0);
  expect(runFromForm(pipeline, form, values)).toEqual({
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { generateName: 'release-', namespace: 'ci' },
    spec: {
      pipelineRef: { name: 'release' },
      params: [
        { name: 'revision', value: 'main' },
        { name: 'platforms', value: ['a', 'b'] },
      ],
      workspaces: [{ name: 'source', persistentVolumeClaim: { claimName: 'code' } }],
      taskRunTemplate: { serviceAccountName: 'builder' },
    },
  });
});

it('is filled with the values of a run, and starts it again with others', () => {
  const claim = { name: 'source', volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'] } } };
  const run = {
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { namespace: 'ci', name: 'release-x', uid: '1' },
    spec: {
      pipelineRef: { resolver: 'git' },
      status: 'Cancelled',
      params: [
        { name: 'revision', value: 'v1' },
        { name: 'platforms', value: ['b'] },
        { name: 'undeclared', value: 'kept' },
      ],
      workspaces: [claim, { name: 'cache', persistentVolumeClaim: { claimName: 'c' } }],
      taskRunTemplate: { podTemplate: {}, serviceAccountName: 'builder' },
    },
    status: { pipelineSpec: (pipeline as unknown as { spec: object }).spec },
  } as unknown as KubeObject;
  const { form: own, values } = formOfRun(run);
  expect(values).toEqual({
    params: { revision: 'v1', level: 'patch', platforms: '["b"]', undeclared: 'kept' },
    workspaces: { source: 'as before', cache: 'claim:c' },
    serviceAccount: 'builder',
  });
  expect(checkValues(own, values).size).toBe(0);
  const changed = { ...values, params: { ...values.params, revision: 'v2', undeclared: 'x' }, serviceAccount: 'other' };
  expect(runWithValues(run, own, changed)).toEqual({
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { generateName: 'release-x-', namespace: 'ci' },
    spec: {
      pipelineRef: { resolver: 'git' },
      params: [
        { name: 'revision', value: 'v2' },
        { name: 'platforms', value: ['b'] },
        { name: 'undeclared', value: 'x' },
      ],
      workspaces: [claim, { name: 'cache', persistentVolumeClaim: { claimName: 'c' } }],
      taskRunTemplate: { podTemplate: {}, serviceAccountName: 'other' },
    },
  });
});
