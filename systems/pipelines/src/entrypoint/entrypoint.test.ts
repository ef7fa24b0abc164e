import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { credentialsCases } from './credentials.cases.ts';
import { encodingCases } from './encoding.cases.ts';
import { outcomeCases } from './outcome.cases.ts';
import { processCases } from './process.cases.ts';
import { programCases } from './programs.cases.ts';
import { substitutionCases } from './substitution.cases.ts';
import { canCompile, compileEntrypoint, eventually, type Lane, Place, type Running } from './test-support.ts';

let lane: Lane;

/** A step that waits for a file that never comes. */
function startWaiting(place: Place): Running {
  place.write('/tekton/run/9/x');
  return place.startStep(['-wait_file', place.path('/tekton/run/9/out')], ['true']);
}

function waitingCases(): void {
  test('a waiting step takes less than two megabytes and hardly ever wakes', async () => {
    const place = new Place(lane);
    const { process, finished } = startWaiting(place);
    await sleep(1500);
    const status = readFileSync(`/proc/${process.pid}/status`, 'utf8');
    process.kill('SIGKILL');
    await finished;
    place.remove();
    const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    expect(number('VmRSS')).toBeLessThan(2048);
    expect(number('voluntary_ctxt_switches')).toBeLessThan(20);
  });

  // The kernel spares the first process of a container signals that it does not handle.
  const canUnshare = spawnSync('sh', ['-c', 'unshare -rpf true']).status === 0;
  test.skipIf(!canUnshare)('a waiting step that is the first process of its container ends on SIGTERM', async () => {
    const place = new Place({ ...lane, wrapper: ['unshare', '-rpf'] });
    const { process, finished } = startWaiting(place);
    await eventually(() => place.has('/tekton/run/0/status/artifacts'));
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
    spawnSync('kill', ['-TERM', children.trim()]);
    expect((await finished).code).toBe(2);
    place.remove();
  });
}

if (canCompile()) {
  beforeAll(() => {
    lane = { program: compileEntrypoint('plain'), wrapper: [], env: {} };
  }, 60_000);

  describe('a step', () => outcomeCases(() => lane));
  describe('the process of a step', () => processCases(() => lane));
  describe('waiting', waitingCases);
  describe('references and conditions', () => substitutionCases(() => lane));
  describe('credentials', () => credentialsCases(() => lane));
  describe('programs', () => programCases(() => lane));
  describe('encodings', () => encodingCases(() => lane));
} else {
  test.skip('there is no C compiler (Debian: gcc)');
}
