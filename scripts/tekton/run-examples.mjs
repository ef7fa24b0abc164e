// Runs every example of a Tekton checkout on this machine, and prints a table of how each ended:
//   node scripts/tekton/run-examples.mjs ../pipeline/examples/v1 > docs/tekton-examples.md
import { spawn, execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node scripts/tekton/run-examples.mjs FOLDER');
  process.exit(2);
}

const bin = new URL('../../apps/cli/bin/tektite.js', import.meta.url).pathname;
const run = promisify(execFile);
const atOnce = 3;
const timeoutMs = 90_000;
/** Everything is allowed: the examples of all stages are run. */
const flags = {
  'enable-api-fields': 'alpha',
  'enable-cel-in-whenexpression': 'true',
  'enable-param-enum': 'true',
  'enable-artifacts': 'true',
};
/** Cases that upstream cannot run either without a network, a registry or the content of an image. */
const needs = [
  [
    /Maybe invalid TaskSpec|failed to get entrypoint|getaddrinfo|dial tcp|no such host|lookup /,
    'a registry or a network',
  ],
  [/Could not resolve host|unable to access|Temporary failure in name resolution/, 'a network'],
];

const data = mkdtempSync(join(tmpdir(), 'tektite-examples-'));
const kubeconfig = join(data, 'kubeconfig');
const plane = spawn(process.execPath, [bin, 'up', '--data-dir', data, '--port', '0', '--systems', 'pipelines'], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
let said = '';
plane.stdout.on('data', (chunk) => (said += chunk));
while (!said.includes('Ctrl-C')) await once(plane.stdout, 'data');

const kubectl = (...args) => run('kubectl', ['--kubeconfig', kubeconfig, ...args]);
const patch = JSON.stringify({ data: flags });
await kubectl('patch', 'configmap', 'feature-flags', '-n', 'tekton-pipelines', '--type', 'merge', '-p', patch);

/** Its outcome in a few words. */
async function outcome(file, index) {
  const namespace = `example-${index}`;
  await kubectl('create', 'namespace', namespace);
  const args = [bin, 'run', '-f', file, '-n', namespace, '--kubeconfig', kubeconfig, '-o', 'json'];
  const {
    stdout = '',
    stderr = '',
    killed,
  } = await run(process.execPath, args, {
    timeout: timeoutMs,
    maxBuffer: 2 ** 28,
  }).catch((error) => error);
  void kubectl('delete', 'namespace', namespace, '--wait=false').catch(() => undefined);
  const events = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const ends = events.filter(({ event }) => event === 'ended');
  const [reason, need] = [stderr, ...ends.map(({ message = '' }) => message), stdout].flatMap((text) =>
    needs.filter(([pattern]) => pattern.test(text)).map(([, what]) => ['', what]),
  )[0] ?? ['', ''];
  if (ends.length > 0 && ends.every(({ succeeded }) => succeeded)) return 'Succeeded';
  if (need) return `needs ${need}${reason}`;
  if (killed) return `did not end in ${timeoutMs / 1000} s`;
  if (ends.length > 0) return ends.map((end) => end.reason).join(', ');
  return `refused: ${stderr.trim().split('\n').at(-1)?.replace(`tektite: ${file}:`, 'line ')}`;
}

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .sort();
const rows = new Array(files.length);
let next = 0;
async function worker() {
  for (let index = next++; index < files.length; index = next++) {
    const result = await outcome(join(folder, files[index]), index);
    rows[index] = [files[index], result];
    console.error(`${files[index]}: ${result}`);
  }
}
try {
  await Promise.all(Array.from({ length: atOnce }, worker));
} finally {
  plane.kill();
  await once(plane, 'exit');
  rmSync(data, { recursive: true, force: true });
}

const good = rows.filter(([, result]) => result === 'Succeeded').length;
const maxLength = 160;
const clean = (text) =>
  (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)
    .replaceAll('|', '\\|')
    .replaceAll(relative('.', folder), 'examples/v1');
console.log(`# Tekton's examples on this machine

How each of the ${rows.length} examples of Tekton Pipelines 1.15 (\`examples/v1\`) ends where containers are processes of this machine and there is no
network: ${good} succeed. Some are meant to fail; those that need a registry, a network or a program of their image cannot succeed here with upstream's
controller either. Made by

    node scripts/tekton/run-examples.mjs FOLDER > docs/tekton-examples.md

| Example | Outcome |
|---|---|
${rows.map(([file, result]) => `| ${file} | ${clean(result)} |`).join('\n')}`);
