import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { entrypointMissing, entrypointProgram } from './entrypoint-program.ts';

test('the compiled program is found and runs, or an error says what to install', () => {
  const program = entrypointProgram();
  if (program === undefined) {
    expect(entrypointMissing).toMatch(/install a C compiler .*gcc/);
    return;
  }
  expect(basename(program)).toBe('entrypoint');
  const { status, stderr } = spawnSync(program, ['nop'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/ Exiting\.\.\.\n$/) });
});
