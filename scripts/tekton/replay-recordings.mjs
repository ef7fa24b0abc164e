// Replays what Tekton itself was recorded to do, and prints how many of the cases end the same, by group:
//   node scripts/tekton/replay-recordings.mjs [REGEX of cases]
// Fails for a case that differs and is not in the table of docs/fidelity.md; those in the table count as different without a
// run, because some of them wait for minutes. The recordings are not part of this repository: where they are absent, that is
// all there is to say.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installPrograms } from '../install-programs.mjs';

const root = new URL('../..', import.meta.url).pathname;
const shared = join(root, '../shared');
const tool = join(shared, 'tools/compare-tekton/compare-tekton.mjs');
const recordings = join(shared, 'golden/tekton');
const atOnce = 16;
const [only = '.'] = process.argv.slice(2);

if (!existsSync(tool)) {
  console.log('recordings of Tekton: ../shared/tools/compare-tekton is absent; not replayed');
  process.exit(0);
}

// Steps of the recordings are written for images: their shell is busybox's, and some compare files or use git.
installPrograms('recordings', {
  busybox: 'busybox-static',
  bash: 'bash',
  git: 'git',
  unshare: 'util-linux',
  setpriv: 'util-linux',
});

const listed = new Set(
  [...readFileSync(join(root, 'docs/fidelity.md'), 'utf8').matchAll(/^\| `((?:cases|examples)\/[\w/-]+)` \|/gm)].map(
    ([, id]) => id,
  ),
);
const folder = mkdtempSync(join(tmpdir(), 'tektite-recordings-'));
const plane = await startControlPlane();
try {
  const first = await replay(withoutListed(only));
  // A case that differs may have been late on a busy machine; alone it has no such excuse.
  const late = first.filter(({ id, same }) => !same && !listed.has(id)).map(({ id }) => id);
  const second = late.length > 0 ? await replay(`^(?:${late.join('|')})$`, 1) : [];
  const results = new Map([...first, ...second].map((result) => [result.id, result]));
  const known = [...listed]
    .filter((id) => new RegExp(only).test(id))
    .map((id) => ({ id, same: false, differences: [] }));
  report([...results.values(), ...known]);
} finally {
  plane.process.kill('SIGTERM');
  if (plane.process.exitCode === null) await once(plane.process, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

/** A pattern for the same cases, but for those that are known to differ. */
function withoutListed(pattern) {
  return `^(?!(?:${[...listed].join('|')})$)(?=.*(?:${pattern}))`;
}

async function startControlPlane() {
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, 'replay,admin,admin,"system:masters"\n');
  // No registry is asked. Images that are only a shell are replaced by the programs of this machine, as by default; so are these, as they
  // were when the recordings were made.
  const images = join(folder, 'images.json');
  writeFileSync(
    images,
    JSON.stringify({
      'cgr.dev/chainguard/busybox': { cmd: ['sh'] },
      node: { cmd: ['node'] },
      python: { cmd: ['python3'] },
    }),
  );
  const bin = join(root, 'apps/cli/bin/tektite.js');
  const flags = [
    '--data-dir',
    join(folder, 'data'),
    '--port',
    '0',
    '--systems',
    'pipelines',
    '--token-auth-file',
    tokens,
    '--images',
    images,
  ];
  const process_ = spawn(process.execPath, [bin, 'up', ...flags], {
    env: { ...process.env, NO_COLOR: '1', TEKTITE_OFFLINE: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface(process_.stdout)) {
    const [server] = /https:\/\/\S+/.exec(line) ?? [];
    if (server) {
      process_.stdout.resume();
      return { process: process_, server };
    }
  }
  throw new Error('tektite up ended before it served');
}

/** The results of the cases: `{ id, same, differences }` each. */
async function replay(cases, jobs = atOnce) {
  const file = join(folder, 'results.json');
  const args = [
    tool,
    recordings,
    '--only',
    cases,
    '-j',
    String(jobs),
    '--level',
    'pods',
    '--lines',
    '0',
    '--json',
    file,
  ];
  const env = { ...process.env, KUBE_SERVER: plane.server, KUBE_TOKEN: 'replay', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const child = spawn(process.execPath, args, {
    env: { ...env, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  return JSON.parse(readFileSync(file, 'utf8'));
}

function report(results) {
  const groups = new Map();
  for (const { id, same } of results) {
    const group = id.split('/').slice(0, -1).join('/');
    const { good, all } = groups.get(group) ?? { good: 0, all: 0 };
    groups.set(group, { good: good + Number(same), all: all + 1 });
  }
  console.log('recordings of Tekton, same as here, by group:');
  for (const [group, { good, all }] of [...groups].sort(([a], [b]) => a.localeCompare(b)))
    console.log(`  ${group.padEnd(28)} ${good}/${all}`);
  const good = results.filter(({ same }) => same).length;
  const share = ((good / Math.max(results.length, 1)) * 100).toFixed(1);
  console.log(`  ${'all'.padEnd(28)} ${good}/${results.length} (${share} %)`);
  const surprises = results.filter(({ id, same }) => !same && !listed.has(id));
  for (const { id, error, differences } of surprises) {
    console.error(`\n${id} differs, and docs/fidelity.md does not say so${error ? `: ${error}` : ''}`);
    for (const { path, want, got } of differences.slice(0, 8))
      console.error(`  ${path}: recorded ${JSON.stringify(want)}, here ${JSON.stringify(got)}`);
  }
  if (surprises.length > 0 || results.length === 0) process.exitCode = 1;
}
