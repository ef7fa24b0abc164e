import { expect, it } from 'vitest';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { replaceTaskVariables } from './task-variables.ts';

it('a workspace that a step mounts twice is where it is mounted first', () => {
  const workspaces = [
    { name: 'w', mountPath: '/here' },
    { name: 'w', mountPath: '/there' },
  ];
  const task = {
    workspaces: [{ name: 'w' }],
    steps: [
      { name: 'own', args: ['$(workspaces.w.path)'], workspaces },
      { name: 'other', args: ['$(workspaces.w.path)'] },
    ],
  };
  const run = { metadata: { name: 'r' }, spec: { workspaces: [{ name: 'w', emptyDir: {} }] } } as unknown as TaskRun;
  expect(replaceTaskVariables(task, run, 't').steps).toMatchObject([{ args: ['/here'] }, { args: ['/workspace/w'] }]);
});
