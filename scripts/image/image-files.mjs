import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fetchNode, fetchPackage, run } from './fetch-parts.mjs';
import { platforms } from '../release/published.mjs';

/** The user of containers: the one that images without a distribution have. */
export const user = 65_532;

/** The program that loads libraries is where the ABI of the architecture says. */
const loaders = { x64: 'lib64/ld-linux-x86-64.so.2', arm64: 'lib/ld-linux-aarch64.so.1' };
const libraries = {
  libc6: ['libc.so.6', 'libm.so.6', 'libdl.so.2', 'libpthread.so.0'],
  'libstdc++6': ['libstdc++.so.6'],
  'libgcc-s1': ['libgcc_s.so.1'],
};
/** Of busybox: what scripts of steps are placed with, and what is handy to look around. */
const shellCommands = ['base64', 'cat', 'chmod', 'cp', 'echo', 'ls', 'mkdir', 'mv', 'rm', 'sh', 'sleep', 'touch'];

const program = { mode: 0o755 };

/** Node.js without symbols, the libraries that it loads, and the accounts. Roots of TLS are in Node.js. */
export function nodeFiles(architecture, folder) {
  const fetched = fetchNode(architecture, folder);
  const binary = join(fetched, 'bin/node');
  run(`${platforms[architecture].triple}-strip`, ['--strip-all', binary]);
  return [
    { path: 'usr/local/bin/node', ...program, content: readFileSync(binary) },
    { path: 'usr/share/doc/nodejs/copyright', content: readFileSync(join(fetched, 'LICENSE')) },
    ...libraryFiles(architecture, folder),
    text(
      'etc/passwd',
      `root:x:0:0:root:/root:/sbin/nologin\ntektite:x:${user}:${user}:tektite:/home/tektite:/sbin/nologin\n`,
    ),
    text('etc/group', `root:x:0:\ntektite:x:${user}:\n`),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    { path: 'home/tektite', type: 'folder', mode: 0o755, uid: user, gid: user },
    { path: 'tmp', type: 'folder', mode: 0o1777 },
  ];
}

function libraryFiles(architecture, folder) {
  const { triple } = platforms[architecture];
  const files = [];
  const packages = Object.keys(libraries).map((name) => [name, fetchPackage(name, architecture, folder)]);
  for (const [name, root] of packages) {
    const directory = ['lib', 'usr/lib']
      .map((each) => join(root, each, triple))
      .find((each) => statSync(each, { throwIfNoEntry: false }));
    for (const library of libraries[name])
      files.push({ path: `lib/${triple}/${library}`, ...program, content: readFileSync(join(directory, library)) });
    if (name !== 'libc6') continue;
    const loader = loaders[architecture];
    files.push({ path: loader, ...program, content: readFileSync(join(directory, loader.split('/').at(-1))) });
    files.push(copyright(root, name));
  }
  files.push(copyright(fetchPackage('gcc-12-base', architecture, folder), 'gcc-12-base'));
  return files;
}

/** The command and its compiled programs, as npm installs them. There is no `env` to find Node.js. */
export function commandFiles(staging, architecture) {
  const home = 'opt/tektite';
  const native = `@tektite/native-linux-${architecture}`;
  const script = readFileSync(join(staging, 'tektite/bin/tektite.js'), 'utf8');
  return [
    ...treeFiles(join(staging, 'tektite'), home).filter(({ path }) => path !== `${home}/bin/tektite.js`),
    {
      path: `${home}/bin/tektite.js`,
      ...program,
      content: Buffer.from(script.replace(/^#!.*/, '#!/usr/local/bin/node --max-semi-space-size=4')),
    },
    ...treeFiles(join(staging, `tektite-native-linux-${architecture}`), `${home}/node_modules/${native}`),
    { path: 'usr/local/bin/tektite', type: 'symlink', mode: 0o777, target: '/opt/tektite/bin/tektite.js' },
  ];
}

/** One static program under the names by which Pods of TaskRuns call it. No shell: a stopped sidecar must find nothing to run. */
export function entrypointFiles(staging, architecture) {
  const entrypoint = readFileSync(join(staging, `tektite-native-linux-${architecture}/bin/entrypoint`));
  const others = ['nop', 'sidecarlogresults', 'workingdirinit'];
  return [
    { path: 'ko-app/entrypoint', ...program, content: entrypoint },
    ...others.map((name) => ({ path: `ko-app/${name}`, type: 'hardlink', ...program, target: 'ko-app/entrypoint' })),
    { path: 'tmp', type: 'folder', mode: 0o1777 },
  ];
}

/** A shell that places the scripts of steps. */
export function shellFiles(architecture, folder) {
  const busybox = fetchPackage('busybox-static', architecture, folder);
  // Newer versions of Debian have it in `usr`.
  const binary = ['bin/busybox', 'usr/bin/busybox'].map((each) => join(busybox, each)).find(existsSync);
  return [
    { path: 'bin/busybox', ...program, content: readFileSync(binary) },
    ...shellCommands.map((name) => ({ path: `bin/${name}`, type: 'symlink', mode: 0o777, target: 'busybox' })),
    copyright(busybox, 'busybox-static'),
    { path: 'tmp', type: 'folder', mode: 0o1777 },
  ];
}

/** The files of a folder of this machine. Whether they can be executed is all that is kept of their permissions. */
function treeFiles(folder, path) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const [source, target] = [join(folder, entry.name), `${path}/${entry.name}`];
    if (entry.isDirectory()) return treeFiles(source, target);
    const mode = statSync(source).mode & 0o100 ? 0o755 : 0o644;
    return [{ path: target, mode, content: readFileSync(source) }];
  });
}

function copyright(root, name) {
  const path = `usr/share/doc/${name}/copyright`;
  return text(path, readFileSync(join(root, path)));
}

const text = (path, content) => ({ path, content: Buffer.from(content) });
