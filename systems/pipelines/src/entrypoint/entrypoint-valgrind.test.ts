/** How steps end, under valgrind: reads of what was never written, and memory that was lost, fail a case. */
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, test, vi } from 'vitest';
import { outcomeCases } from './outcome.cases.ts';
import { canCompile, compileEntrypoint, type Lane } from './test-support.ts';

const available = canCompile() && spawnSync('valgrind', ['--version']).status === 0;

if (available) {
  let lane: Lane;
  beforeAll(() => {
    const wrapper = [
      'valgrind',
      '-q',
      '--error-exitcode=99',
      '--leak-check=full',
      '--show-leak-kinds=definite,indirect',
    ];
    lane = { program: compileEntrypoint('debug', '--debug'), wrapper, env: {} };
  }, 120_000);
  vi.setConfig({ testTimeout: 60_000 });

  describe('a step', () => outcomeCases(() => lane));
} else {
  test.skip('there is no valgrind or no C compiler');
}
