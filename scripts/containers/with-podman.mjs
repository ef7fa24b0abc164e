// Runs a command where there is podman, runc, a static busybox, a registry and an SSH server: those of the machine, or Debian's, which are installed
// when this is root and they are missing.
import { spawnSync } from 'node:child_process';

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

const isThere = (program) =>
  spawnSync('sh', ['-c', `PATH="$PATH:/usr/sbin:/sbin"; command -v ${program}`]).status === 0;
const missing = Object.keys(programs).filter((program) => !isThere(program));
if (missing.length > 0) {
  const packages = missing.map((program) => programs[program]);
  if (process.getuid?.() !== 0 || !isThere('apt-get')) {
    console.error(
      `the tests with containers need ${missing.join(', ')}; install them first (Debian: ${packages.join(' ')})`,
    );
    process.exit(1);
  }
  console.error(`containers: installing ${packages.join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const failed =
    run('apt-get', ['-q', 'update'], { env }) ||
    run('apt-get', ['-q', 'install', '-y', '--no-install-recommends', ...packages], { env });
  if (failed) process.exit(failed);
}

const [command, ...args] = process.argv.slice(2);
if (!command) {
  console.error('usage: with-podman.mjs COMMAND [ARGUMENT...]');
  process.exit(1);
}
process.exit(run(command, args, { env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` } }));
