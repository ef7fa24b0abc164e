// Runs a command with KUBEBUILDER_ASSETS set to a folder that holds etcd and kube-apiserver:
//   1. the one KUBEBUILDER_ASSETS names already;
//   2. where both are found on the PATH;
//   3. a folder of the user's cache, in which they are built from Debian's packages the first time.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const programs = ['etcd', 'kube-apiserver'];

function holds(folder, program) {
  try {
    accessSync(join(folder, program), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function run(command, args, env = process.env) {
  const { status, signal, error } = spawnSync(command, args, { stdio: 'inherit', env });
  if (error) console.error(`cannot run ${command}: ${error.message}`);
  if (signal) console.error(`${command} was ended by ${signal}`);
  return status ?? 1;
}

function findAssets() {
  const { KUBEBUILDER_ASSETS: named, PATH = '', XDG_CACHE_HOME } = process.env;
  if (named) {
    const missing = programs.filter((program) => !holds(named, program));
    if (missing.length === 0) return named;
    console.error(`KUBEBUILDER_ASSETS is ${named}, but there is no ${missing.join(' and no ')} in it`);
    process.exit(1);
  }
  const onPath = PATH.split(delimiter).find((folder) => programs.every((program) => holds(folder, program)));
  if (onPath) return onPath;
  const cache = join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'tektite', 'cluster', `debian-12-${process.arch}`);
  if (programs.every((program) => holds(cache, program))) return cache;
  const script = fileURLToPath(new URL('build-from-debian.sh', import.meta.url));
  const status = run('bash', [script, cache]);
  if (status !== 0) process.exit(status);
  return cache;
}

const [command, ...args] = process.argv.slice(2);
if (!command) {
  console.error('usage: with-assets.mjs COMMAND [ARGUMENT...]');
  process.exit(1);
}
const assets = findAssets();
console.error(`cluster: using ${assets}`);
process.exit(run(command, args, { ...process.env, KUBEBUILDER_ASSETS: assets }));
