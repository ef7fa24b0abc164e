import { systemClock } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { findNode, firstTaskRun, type RunNode } from '../run/index.ts';
import { run, serveKind, transportApi } from '../test-support.ts';
import { RunStore } from './run-store.ts';
import type { ToolApi } from '../api/tool-answers.ts';

const succeeded = { conditions: [{ type: 'Succeeded', status: 'True' }] };
const labels = (parent: string) => ({ 'tekton.dev/pipelineRun': parent });

it('follows Pipelines within Pipelines, and has logs of earlier attempts', async () => {
  await using plane = await startControlPlane();
  for (const kind of ['PipelineRun', 'TaskRun']) await serveKind(plane, 'tekton.dev', kind);
  await serveKind(plane, 'tekton.dev', 'CustomRun', { version: 'v1beta1' });
  const references = (...children: readonly (readonly [string, string, string])[]) => ({
    ...succeeded,
    childReferences: children.map(([kind, name, pipelineTaskName]) => ({ kind, name, pipelineTaskName })),
    pipelineSpec: { tasks: children.map(([, , name]) => ({ name })) },
  });
  const create = (object: object) => plane.client.create(object as never);
  const outer = references(['PipelineRun', 'outer-deploy', 'deploy'], ['TaskRun', 'outer-build', 'build']);
  await create(run('outer', { status: outer }));
  await create(run('outer-build', { kind: 'TaskRun', labels: labels('outer'), status: succeeded }));
  await create(
    run('outer-deploy', {
      labels: labels('outer'),
      status: references(['TaskRun', 'outer-deploy-build', 'build']),
    }),
  );
  const step = (exitCode: number, message?: string) => ({
    name: 'make',
    terminated: { exitCode, reason: 'Error', ...(message ? { message } : {}) },
  });
  await create(
    run('outer-deploy-build', {
      kind: 'TaskRun',
      labels: labels('outer-deploy'),
      status: {
        ...succeeded,
        podName: 'pod-2',
        steps: [step(0)],
        results: [{ name: 'digest', value: 'sha256:1' }],
        retriesStatus: [{ podName: 'pod-1', steps: [step(3, 'out of memory')] }],
      },
    }),
  );
  const api = transportApi(plane.transport());
  const options = { api, clock: systemClock, schedule: (flush: () => void) => flush() };
  const store = new RunStore({ kind: 'PipelineRun', namespace: 'default', name: 'outer' }, options);
  const inner = () => store.tree.value && findNode(store.tree.value, 'deploy/build');
  await expect.poll(() => inner()?.state).toBe('succeeded');
  expect(findNode(store.tree.value as RunNode, 'build')?.id).toBe('TaskRun/outer-build');
  expect(firstTaskRun(findNode(store.tree.value as RunNode, 'deploy'))?.id).toBe('TaskRun/outer-deploy-build');
  expect(store.stepsOf(inner())).toMatchObject([
    {
      id: 'make (attempt 1)',
      pod: 'pod-1',
      isFolded: true,
      state: 'failed',
      kept: [/exit code 3/, 'message: out of memory'].map((text) => expect.stringMatching(text)),
    },
    { id: 'make', pod: 'pod-2', isFolded: false, kept: ['exit code 0, Error', 'result digest: sha256:1'] },
  ]);
  store.stop();
});

it('shows a deleted run as it was archived, and not another one of its name', async () => {
  await using plane = await startControlPlane();
  for (const kind of ['PipelineRun', 'TaskRun']) await serveKind(plane, 'tekton.dev', kind);
  await serveKind(plane, 'tekton.dev', 'CustomRun', { version: 'v1beta1' });
  const childReferences = [{ kind: 'TaskRun', name: 'a-build', pipelineTaskName: 'build' }];
  const status = { ...succeeded, childReferences, pipelineSpec: { tasks: [{ name: 'build' }] } };
  const { metadata, ...rest } = run('a', { status });
  await plane.client.create({ ...rest, metadata: { ...metadata, uid: undefined } } as never);
  const asked: object[] = [];
  const part = run('a-build', {
    kind: 'TaskRun',
    labels: labels('a'),
    status: { ...succeeded, podName: 'p', steps: [{ name: 'make', terminated: {} }] },
  });
  const call = async (_: string, input: { readonly uid?: string }) => {
    asked.push(input);
    return input.uid === 'old' ? { run: run('a', { status }), parts: [part] } : { parts: [] };
  };
  const options = {
    api: transportApi(plane.transport()),
    clock: systemClock,
    schedule: (flush: () => void) => flush(),
  };
  const name = { kind: 'PipelineRun', namespace: 'default', name: 'a' };
  const old = new RunStore(name, { ...options, tools: { call } as unknown as ToolApi, uid: 'old' });
  await expect.poll(() => old.state.value).toBe('archived');
  expect(asked).toEqual([{ ...name, uid: 'old' }]);
  const build = findNode(old.tree.value as RunNode, 'build');
  expect(build?.state).toBe('succeeded');
  expect(old.stepsOf(build)).toMatchObject([{ id: 'make', isArchived: true }]);
  old.stop();
  const live = new RunStore(name, { ...options, tools: { call } as unknown as ToolApi });
  await expect.poll(() => live.state.value).toBe('live');
  await plane.client.delete({ apiVersion: 'tekton.dev/v1', kind: 'PipelineRun' }, { namespace: 'default', name: 'a' });
  await expect.poll(() => live.state.value).toBe('missing');
  live.stop();
});
