import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@tektite/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Breakpoints, debugScripts } from './debugging.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tektite-debug-'));
  for (const name of ['debug/scripts', 'debug/info/1', 'run/1']) mkdirSync(join(folder, name), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes the scripts as the init container does, and runs one as in the second of so many steps. */
function run(breakpoints: Breakpoints, script: string, steps: number): string {
  const names = Array.from({ length: steps }, (_, index) => `s${index}`);
  const text = debugScripts(breakpoints, names, seededRandom(1)).replaceAll('/tekton/', `${folder}/`);
  execFileSync('sh', ['-c', text]);
  return execFileSync(join(folder, 'debug/scripts', script), { encoding: 'utf8' });
}

const read = (name: string) => readFileSync(join(folder, 'run/1', name), 'utf8');
const onFailure = { onFailure: true, beforeSteps: new Set<string>() };
const before = { onFailure: false, beforeSteps: new Set(['s1']) };

describe('a step that waits at a breakpoint', () => {
  it('goes on as if it had succeeded', () => {
    expect(run(onFailure, 'debug-continue', 2)).toBe('Executing step 1...\n');
    expect([read('out'), read('out.breakpointexit')]).toEqual(['', '0\n']);
  });

  it('goes on and fails', () => {
    expect(run(onFailure, 'debug-fail-continue', 2)).toBe('Executing step 1...\n');
    expect([read('out.err'), read('out.breakpointexit')]).toEqual(['', '1\n']);
  });

  it('begins, or does not', () => {
    run(before, 'debug-beforestep-continue', 2);
    expect(read('out.beforestepexit')).toBe('0\n');
    run(before, 'debug-beforestep-fail-continue', 2);
    expect(read('out.beforestepexit.err')).toBe('1\n');
  });

  it('gets an error when there is nothing to continue', () => {
    expect(run(onFailure, 'debug-continue', 1)).toBe(
      'Last step (no. 1) has already been executed, breakpoint exiting !\n',
    );
  });

  it('has no scripts for breakpoints that no step has', () => {
    expect(debugScripts({ onFailure: false, beforeSteps: new Set(['other']) }, ['s'], seededRandom(1))).toBe('');
  });
});
