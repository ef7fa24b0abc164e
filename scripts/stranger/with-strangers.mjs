// Runs a command where there are a terminal (tmux), the usual shells, and ordinary users: one with subordinate ids and one without. As root
// the users are created for the command and deleted after it; started by an ordinary user, that user is the only one.
// The command reads them from $TEKTITE_STRANGERS.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, rmdirSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPrograms } from '../install-programs.mjs';

const programs = {
  tmux: 'tmux',
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
  git: 'git',
  setpriv: 'util-linux',
  useradd: 'passwd',
  newuidmap: 'uidmap',
  busybox: 'busybox-static',
};
const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const isRoot = process.getuid?.() === 0;
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

function fail(text) {
  console.error(`stranger: ${text}`);
  process.exit(1);
}

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env, ...options });
  if (error) console.error(`stranger: cannot run ${command}: ${error.message}`);
  return status ?? 1;
}

const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups'];
const canOthers = (...command) => spawnSync('setpriv', [...nobody, ...command], { env, stdio: 'ignore' }).status === 0;

const program = `${repository}/apps/cli/bin/tektite.js`;

/** Ordinary users have to reach Node and the repository. */
function checkAccess() {
  if (!existsSync(`${repository}/apps/cli/dist/tektite.js`))
    fail('the command is not built; run `npm run build` first');
  if (!canOthers(process.execPath, '--version'))
    fail(`ordinary users cannot run ${process.execPath}; install Node where all users can run it`);
  if (canOthers(process.execPath, program, '--version')) return;
  if (process.env.TEKTITE_STRANGER_MOUNT)
    fail(`ordinary users cannot read the files of ${repository}; see its permissions`);
  runElsewhere();
}

/** A home of root, or a folder of mktemp, is in the way: the repository is mounted where everyone can enter, for this process alone. */
function runElsewhere() {
  const place = mkdtempSync('/tmp/stranger-repository-');
  chmodSync(place, 0o755);
  const script = 'mount --bind "$1" "$2" && cd "$2" && shift 2 && exec "$@"';
  const again = [process.execPath, 'scripts/stranger/with-strangers.mjs', ...process.argv.slice(2)];
  const status = run(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', repository, place, ...again],
    {
      env: { ...env, TEKTITE_STRANGER_MOUNT: place },
    },
  );
  rmdirSync(place);
  process.exit(status);
}

const output = (command, ...args) => spawnSync(command, args, { encoding: 'utf8', env }).stdout.trim();

function createUser(name, withSubordinateIds) {
  const ids = withSubordinateIds ? [] : ['-K', 'SUB_UID_COUNT=0', '-K', 'SUB_GID_COUNT=0'];
  // Another process may hold the lock of the user database.
  for (let tries = 0; run('useradd', ['--create-home', '--shell', '/bin/bash', ...ids, name]) !== 0; tries++)
    if (tries === 5) fail(`cannot create the user ${name}`);
  return { name, uid: Number(output('id', '-u', name)), gid: Number(output('id', '-g', name)) };
}

function strangers() {
  if (!isRoot) return { ordinary: { name: output('id', '-un'), uid: process.getuid(), gid: process.getgid() } };
  checkAccess();
  // useradd gives ids only where these files exist.
  for (const file of ['/etc/subuid', '/etc/subgid']) closeSync(openSync(file, 'a', 0o644));
  return {
    root: { name: 'root', uid: 0, gid: 0 },
    ordinary: createUser(`tektite-${process.pid}`, true),
    // No subordinate ids: newuidmap refuses this user everything but the own id.
    plain: createUser(`tektite-${process.pid}-plain`, false),
  };
}

function deleteUsers(users) {
  for (const { name, uid } of Object.values(users)) {
    if (uid === 0 || !isRoot) continue;
    for (let tries = 0; run('userdel', ['--remove', name], { stdio: 'ignore' }) !== 0 && tries < 5; tries++);
  }
}

const [command, ...args] = process.argv.slice(2);
if (!command) fail('usage: with-strangers.mjs COMMAND [ARGUMENT...]');
installPrograms('stranger', programs);
const users = strangers();
console.error(
  `stranger: needs ${Object.keys(programs).join(', ')}; plays the users ${Object.values(users)
    .map(({ name }) => name)
    .join(', ')}`,
);
if (!isRoot)
  console.error('stranger: not started by root: the tests of root and of users without subordinate ids are left out');
const child = spawn(command, args, {
  stdio: 'inherit',
  env: { ...env, TEKTITE_STRANGERS: JSON.stringify(users) },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('error', ({ message }) => console.error(`stranger: cannot run ${command}: ${message}`));
child.on('close', (code, signal) => {
  deleteUsers(users);
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
});
