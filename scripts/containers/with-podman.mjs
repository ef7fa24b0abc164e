// Runs a command where there is podman, runc, a static busybox, a registry and an SSH server: those of the machine, or Debian's, which are installed
// when this is root and they are missing.
import { spawnSync } from 'node:child_process';
import { installPrograms } from '../install-programs.mjs';

const programs = {
  podman: 'podman',
  runc: 'runc',
  busybox: 'busybox-static',
  'docker-registry': 'docker-registry',
  sshd: 'openssh-server',
};

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (error) console.error(`cannot run ${command}: ${error.message}`);
  return status ?? 1;
}

installPrograms('containers', programs);

const [command, ...args] = process.argv.slice(2);
if (!command) {
  console.error('usage: with-podman.mjs COMMAND [ARGUMENT...]');
  process.exit(1);
}
process.exit(run(command, args, { env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` } }));
