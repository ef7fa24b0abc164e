import { expect, it } from 'vitest';
import { missingProgram, MissingPrograms, registryHint, withoutGuess } from './missing-program.ts';

it.each([
  ['/tekton/scripts/script-0: 3: git: not found', 'git'],
  ['bash: line 1: docker-compose: command not found', 'docker-compose'],
  ['2026/11/16 15:50:15 Error executing command: exec: "kaniko": executable file not found in $PATH', 'kaniko'],
  ['16:58:27 Error executing command: fork/exec /kaniko/executor: no such file or directory', '/kaniko/executor'],
  ["/usr/bin/env: 'python9': No such file or directory", 'python9'],
  ['env: python9: No such file or directory', 'python9'],
  ['the file was not found', undefined],
])('finds the missing program in %j', (line, program) => {
  expect(missingProgram(line)).toBe(program);
});

it('explains each image that is not used once, and only steps that failed for that', () => {
  const programs = new MissingPrograms();
  programs.log('pod/a', 'sh: git: not found');
  expect(programs.ended('pod/a', 0, 'alpine/git')).toBeUndefined();
  expect(programs.ended('pod/a', 127, undefined)).toBeUndefined();
  expect(programs.ended('pod/a', 127, 'alpine/git')).toMatch(
    /does not have "git".*image alpine\/git is not used.*--images/,
  );
  expect(programs.ended('pod/a', 127, 'alpine/git')).toBeUndefined();
});

it('explains a command that is a path, and the interpreter of a script, which end with code 1', () => {
  const programs = new MissingPrograms();
  const failed = (path: string) => `Error executing command: fork/exec ${path}: no such file or directory`;
  programs.log('pod/a', failed('/kaniko/executor'));
  expect(programs.ended('pod/a', 1, 'kaniko')).toContain('does not have "/kaniko/executor"');
  programs.log('pod/b', failed('/tekton/scripts/script-0-x7k2p'));
  expect(programs.ended('pod/b', 1, 'python')).toContain('does not have the interpreter of the script:');
});

it('explains a registry that cannot be asked', () => {
  expect(registryHint('translating TaskSpec to Pod: Get "https://gcr.io/v2/": no such host')).toContain(
    'https://gcr.io',
  );
  expect(registryHint('something else')).toBeUndefined();
});

it('does not blame the Task for a registry', () => {
  const guess = '. Maybe missing or invalid Task default/build';
  const offline = 'translating TaskSpec to Pod: Get "https://gcr.io/v2/": dial tcp: lookup gcr.io: no such host';
  expect(withoutGuess(`${offline}${guess}`)).toBe(offline);
  expect(withoutGuess(`${offline}. Maybe invalid TaskSpec`)).toBe(offline);
  expect(withoutGuess(`something else${guess}`)).toBe(`something else${guess}`);
});
