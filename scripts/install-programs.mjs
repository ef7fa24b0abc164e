// Programs that a lane of the tests needs, and Debian's packages that have them: those that are missing are installed where this is root
// and there is apt-get. Each lane installs what it needs itself, so that any of them can be the first on a bare machine.
//   node scripts/install-programs.mjs build gcc='gcc libc6-dev'
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin`, DEBIAN_FRONTEND: 'noninteractive' };

function isThere(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`], { env }).status === 0;
}

function aptGet(...args) {
  return (
    spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=600', ...args], { stdio: ['ignore', 2, 2], env }).status ===
    0
  );
}

/** `programs`: names of packages by names of programs. Ends the process with a sentence when one is missing and cannot be installed. */
export function installPrograms(lane, programs) {
  const missing = Object.keys(programs).filter((program) => !isThere(program));
  if (missing.length === 0) return;
  const packages = missing.flatMap((program) => programs[program].split(' '));
  const give = (text) => {
    console.error(`${lane}: ${text}`);
    process.exit(1);
  };
  if (process.getuid?.() !== 0 || !isThere('apt-get'))
    give(`the tests need ${missing.join(', ')}; install them first (Debian: ${packages.join(' ')})`);
  console.error(`${lane}: installing ${packages.join(', ')}`);
  if (!aptGet('update') || !aptGet('install', '-y', '--no-install-recommends', ...packages))
    give(`cannot install ${packages.join(', ')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [lane, ...programs] = process.argv.slice(2);
  installPrograms(lane, Object.fromEntries(programs.map((each) => each.split('='))));
}
