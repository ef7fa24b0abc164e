import { describe, expect, it } from 'vitest';
import { imageProgram, isVersion, programsOf, wantedSteps } from './wanted-programs.ts';

describe('the programs of a step', () => {
  it.each<[string, Parameters<typeof programsOf>[0], readonly string[]]>([
    ['of its command', { command: ['mvn', 'install'] }, ['mvn']],
    ['of its interpreter', { script: '#!/usr/bin/env python3\nimport go\ngit = 1\n' }, ['python3']],
    ['of its lines', { script: 'git clone x && cd x\nmake -j2 | tee log; ls' }, ['git', 'make', 'tee', 'ls']],
    ['after assignments and keywords', { script: 'if CI=1 npm test; then jq . a; fi' }, ['npm', 'jq']],
    ['inside of substitutions', { script: 'version=$(node -p 1)' }, ['node']],
    ['but not functions', { script: 'greet() {\n  echo hi\n}\ngreet' }, []],
    ['nor text', { script: 'echo "curl x; wget y" # helm z\ncat <<END\nkubectl get\nEND\n' }, ['cat']],
    ['nor variables', { script: '$(params.program) run\n"$TOOL" x' }, []],
    ['of arms of a case', { script: 'case $1 in\n  a) sed x ;;\nesac' }, ['sed']],
  ])('are known %s', (_, step, programs) => {
    expect(programsOf(step)).toEqual(programs);
  });
});

it('finds steps in Tasks, and in Pipelines and runs with embedded tasks', () => {
  const task = {
    apiVersion: 'tekton.dev/v1',
    kind: 'Task',
    metadata: { name: 'a' },
    spec: { steps: [{ image: 'x' }] },
  };
  const pipeline = {
    apiVersion: 'tekton.dev/v1',
    kind: 'Pipeline',
    metadata: { name: 'p' },
    spec: {
      tasks: [{ name: 'b', taskSpec: { steps: [{ name: 's', image: 'y', command: ['ls'] }] } }],
      finally: [{ name: 'c', taskSpec: { steps: [{ image: 'z' }] } }],
    },
  };
  expect(wantedSteps([task, pipeline])).toEqual([
    { name: 'a/unnamed-0', image: 'x', programs: [] },
    { name: 'b/s', image: 'y', programs: ['ls'] },
    { name: 'c/unnamed-0', image: 'z', programs: [] },
  ]);
});

it.each([
  ['golang:1.22-alpine', { program: 'go', version: '1.22' }],
  ['docker.io/library/node:20@sha256:abc', { program: 'node', version: '20' }],
  ['localhost:5000/maven', { program: 'mvn' }],
  ['alpine/git:latest', { program: 'git' }],
  ['ghcr.io/acme/shop:3', undefined],
])('knows the program of the image %s', (image, program) => {
  expect(imageProgram(image)).toEqual(program);
});

it('compares the numbers that a tag gives', () => {
  expect(isVersion('1.22.3', '1.22')).toBe(true);
  expect(isVersion('1.19.8', '1.22')).toBe(false);
  expect(isVersion('20.20.2', '20')).toBe(true);
  expect(isVersion('3', '3.12')).toBe(true);
});
