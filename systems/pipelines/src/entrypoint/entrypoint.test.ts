import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { credentialsCases } from './credentials.cases.ts';
import { encodingCases } from './encoding.cases.ts';
import { outcomeCases } from './outcome.cases.ts';
import { processCases } from './process.cases.ts';
import { programCases } from './programs.cases.ts';
import { substitutionCases } from './substitution.cases.ts';
import { compileEntrypoint, eventually, type Lane, Place } from './test-support.ts';

let lane: Lane;
beforeAll(() => {
  lane = { program: compileEntrypoint('plain'), wrapper: [], env: {} };
}, 60_000);

describe('a step', () => outcomeCases(() => lane));
describe('the process of a step', () => processCases(() => lane));
describe('references and conditions', () => substitutionCases(() => lane));
describe('credentials', () => credentialsCases(() => lane));
describe('programs', () => programCases(() => lane));
describe('encodings', () => encodingCases(() => lane));

test('a waiting step takes less than two megabytes and hardly any time', async () => {
  const place = new Place(lane);
  place.write('/tekton/run/9/x');
  const child = spawn(
    lane.program,
    [
      '-wait_file',
      place.path('/tekton/run/9/out'),
      '-step_metadata_dir',
      place.path('/meta'),
      '-entrypoint',
      'true',
      '--',
    ],
    {
      env: { PATH: '/bin', ENTRYPOINT_TEST_ROOT: place.root },
      stdio: 'ignore',
    },
  );
  await sleep(1500);
  const proc = (name: string) => readFileSync(join('/proc', String(child.pid), name), 'utf8');
  const resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(proc('status'))?.[1]);
  const switches = Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(proc('status'))?.[1]);
  child.kill('SIGKILL');
  place.remove();
  expect(resident).toBeGreaterThan(0);
  expect(resident).toBeLessThan(2048);
  expect(switches).toBeLessThan(20);
});

const canUnshare = spawnSync('unshare', ['-rpf', 'true']).status === 0;

// The kernel spares the first process of a container signals that it does not handle.
test.skipIf(!canUnshare)('a waiting step that is the first process of its container ends on SIGTERM', async () => {
  const place = new Place({ ...lane, wrapper: ['unshare', '-rpf'] });
  place.write('/tekton/run/9/x');
  const { process, finished } = place.start([
    ...['-wait_file', place.path('/tekton/run/9/out'), '-step_metadata_dir', place.path('/meta')],
    ...['-entrypoint', 'true', '--'],
  ]);
  await eventually(() => place.has('/meta/artifacts'));
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  spawnSync('kill', ['-TERM', children.trim()]);
  expect((await finished).code).toBe(2);
  place.remove();
});
