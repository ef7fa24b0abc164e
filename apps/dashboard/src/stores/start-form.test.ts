import type { KubeObject } from '@tektite/meta';
import { expect, it } from 'vitest';
import { checkValues, runFromForm, startForm } from './start-form.ts';

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
