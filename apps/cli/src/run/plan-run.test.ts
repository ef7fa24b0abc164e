import type { KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { type PlannedObject, planRun, type RunChoices } from './plan-run.ts';
import { planeNeeds } from './plane-needs.ts';
import { parseDocuments } from '../input/read-documents.ts';

const nothing: RunChoices = { params: [], workspaces: [], only: [], env: [] };
const plan = (text: string, choices: Partial<RunChoices> = {}) =>
  planRun(parseDocuments({ name: 'f.yaml', text }), { ...nothing, ...choices });
const specOf = (planned: readonly PlannedObject[]) =>
  planned.filter(({ runs }) => runs).map(({ object }) => (object as KubeObject & { spec: object }).spec)[0] as Record<
    string,
    unknown
  >;

const greet = `apiVersion: tekton.dev/v1
kind: Task
metadata: {name: greet}
spec:
  params:
    - name: who
    - {name: others, type: array, default: []}
    - {name: format, default: "[text]"}
  workspaces:
    - {name: source, optional: true}
  steps: [{name: say, image: busybox, script: "echo $(params.who)"}]
`;
const release = `apiVersion: tekton.dev/v1
kind: Pipeline
metadata: {name: release}
spec:
  tasks:
    - {name: clone, taskRef: {name: greet}, params: [{name: who, value: a}]}
    - {name: build, runAfter: [clone], taskRef: {name: greet}, params: [{name: who, value: $(tasks.clone.results.commit)}]}
    - {name: lint, runAfter: [clone], taskRef: {name: greet}, params: [{name: who, value: b}]}
  finally:
    - {name: bye, taskRef: {name: greet}, params: [{name: who, value: c}]}
`;
const account = { serviceAccount: 'builder' };

describe('a plan of a run', () => {
  it.each<[string, string, Partial<RunChoices>, string]>([
    ['a misspelt param', greet, { params: ['wh=x'] }, '-p wh: Task greet has no param "wh"; did you mean "who"?'],
    [
      'a misspelt workspace',
      greet,
      { params: ['who=x'], workspaces: [{ name: 'src', emptyDir: {} }] },
      '-w src: Task greet has no workspace "src"; did you mean "source"?',
    ],
    ['a missing param', greet, {}, 'f.yaml:6: Task greet needs the param "who"; give it with -p who=VALUE'],
    [
      'an array given as text',
      greet,
      { params: ['who=x', 'others=a'] },
      `f.yaml:7: the param "others" of Task greet is an array; give it as -p others='["first", "second"]'`,
    ],
    [
      'a missing workspace',
      greet.replace(', optional: true', ''),
      { params: ['who=x'] },
      'f.yaml:10: Task greet needs the workspace "source"; give it a folder with -w source=. or an empty one with -w source=emptyDir',
    ],
    [
      'two Tasks',
      `${greet}---\n${greet.replace('name: greet', 'name: other')}`,
      {},
      'there are 2 Tasks in what is to be run: greet (f.yaml:1), other (f.yaml:13); choose one with --name',
    ],
    ['an unknown name', greet, { name: 'gret' }, '--name: there is nothing named "gret" to run; did you mean "greet"?'],
    ['a misspelt kind', greet.replace('Task', 'Taks'), {}, 'f.yaml:2: there is no kind "Taks"; did you mean "Task"?'],
    [
      'a Pipeline whose Task is in no file',
      release.replace('taskRef: {name: greet}', 'taskRef: {name: gret}').concat('---\n', greet),
      {},
      'f.yaml:6: there is no Task "gret" in what is to be run; did you mean "greet"?',
    ],
    [
      'a task whose results no task produces',
      `${release}---\n${greet}`,
      { only: ['build'] },
      '--only build: it uses $(tasks.clone.results.commit); add --only clone',
    ],
    [
      'an unknown task',
      `${release}---\n${greet}`,
      { only: ['lin'] },
      '--only lin: Pipeline release has no such task; did you mean "lint"?',
    ],
  ])('refuses %s', async (_title, text, choices, message) => {
    await expect(plan(text, choices)).rejects.toMatchObject({ message, exitCode: 2 });
  });

  it('reads values as the Task declares them', async () => {
    const planned = await plan(greet, { params: ['who=x', 'others=["a"]', 'format=[b]'] });
    expect(specOf(planned)['params']).toEqual([
      { name: 'who', value: 'x' },
      { name: 'others', value: ['a'] },
      { name: 'format', value: '[b]' },
    ]);
  });

  it('lets a spec inside of a run use params that it does not declare', async () => {
    const run = `apiVersion: tekton.dev/v1
kind: TaskRun
metadata: {name: r}
spec: {taskSpec: {steps: [{name: s, image: i, script: "echo $(params.who)"}]}}
`;
    expect(specOf(await plan(run, { params: ['who=x'] }))['params']).toEqual([{ name: 'who', value: 'x' }]);
    await expect(plan(run, { params: ['wh=x'] })).rejects.toThrow('-p wh: Task r has no param "wh"');
  });

  it('chooses one of several by name, and tasks of a Pipeline', async () => {
    const two = `${greet}---\n${greet.replace('name: greet', 'name: other')}`;
    expect(specOf(await plan(two, { name: 'other', params: ['who=x'] }))['taskRef']).toEqual({ name: 'other' });
    const spec = specOf(await plan(`${release}---\n${greet}`, { only: ['lint', 'bye'] }));
    expect(spec).toMatchObject({ pipelineSpec: { tasks: [{ name: 'lint' }, { name: 'bye' }] } });
    expect(JSON.stringify(spec)).not.toMatch(/runAfter|finally|pipelineRef/);
  });

  it('puts accounts and variables where each kind has them', async () => {
    const env = [{ name: 'A', value: 'b' }];
    expect(specOf(await plan(greet, { params: ['who=x'], env, ...account }))).toMatchObject({
      serviceAccountName: 'builder',
      podTemplate: { env },
    });
    expect(specOf(await plan(`${release}---\n${greet}`, { env, ...account }))['taskRunTemplate']).toEqual({
      serviceAccountName: 'builder',
      podTemplate: { env },
    });
  });
});

describe('a throw-away control plane', () => {
  const run = (more: string) => `apiVersion: tekton.dev/v1
kind: TaskRun
metadata: {name: r, namespace: ci}
spec:
  serviceAccountName: builder
  workspaces:
    - ${more}
  taskSpec: {workspaces: [{name: w}], steps: [{name: s, image: i, script: "true"}]}
`;

  it('gets the namespace, the account and the claim that a run names', async () => {
    const { objects, created } = planeNeeds(
      await plan(run('{name: w, persistentVolumeClaim: {claimName: data}}')),
      'default',
    );
    expect(created).toEqual(['the namespace ci', 'the service account builder', 'the claim data (empty)']);
    expect(objects.map(({ object }) => [object.kind, object.metadata])).toEqual([
      ['Namespace', { name: 'ci' }],
      ['ServiceAccount', { name: 'builder', namespace: 'ci' }],
      ['PersistentVolumeClaim', { name: 'data', namespace: 'ci' }],
    ]);
  });

  it('asks for Secrets that no file has, by the place of the reference', async () => {
    const planned = await plan(run('{name: w, secret: {secretName: token}}'));
    expect(() => planeNeeds(planned, 'default')).toThrow(
      'f.yaml:7: there is no Secret "token"; add its file with -f, or make it of a file with --secret token=FILE',
    );
  });

  it('needs nothing that files have, or that no run uses', async () => {
    const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: ci}\n';
    const unused = greet.replace('steps:', 'volumes: [{name: v, secret: {secretName: other}}]\n  steps:');
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: ci}\n';
    const text = [run('{name: w, secret: {secretName: token}}'), secret, unused, namespace].join('---\n');
    expect(planeNeeds(await plan(text), 'default').created).toEqual(['the service account builder']);
  });
});
