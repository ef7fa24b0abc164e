import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { RootEntry } from './root-entry.ts';

/** Folders of programs and their libraries. Containers see them read-only. */
const programFolders = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'usr', 'nix', 'gnu'];

/**
 * Settings of programs, in /etc: names of users, where libraries and certificates are, how times and words are written. Nothing
 * that is a secret on some machine: a container may run as root, which reads every file that it sees.
 */
const settings = [
  /^(passwd|group|nsswitch\.conf|host\.conf|gai\.conf|hosts|hostname|resolv\.conf|networks|services|protocols|rpc|ethertypes)$/,
  /^(ld\.so\.cache|ld\.so\.conf|ld\.so\.conf\.d|alternatives|ssl|pki|ca-certificates|ca-certificates\.conf|crypto-policies)$/,
  /^(localtime|timezone|locale\.alias|locale\.conf|locale\.gen|inputrc|terminfo|profile|profile\.d|bash\.bashrc|bashrc|shells)$/,
  /^(os-release|debian_version|lsb-release|[a-z]+-release|alpine-release|mime\.types|magic|magic\.mime|fonts|sgml|xml)$/,
  /^(java[-\w.]*|python[\d.]*|perl|maven|emacs|vim|groff|manpath\.config|static|nix)$/,
];

/** Below those of above, for keys. */
const keyFolders = ['ssl/private', 'pki/private', 'pki/tls/private', 'pki/CA/private', 'pki/nssdb', 'nix/netrc'];

/** Folders that programs expect to be there. They are empty. */
const emptyFolders = ['boot', 'media', 'mnt', 'opt', 'srv'];
const emptyVarFolders = ['backups', 'cache', 'lib', 'local', 'log', 'mail', 'opt', 'spool', 'tmp'];

/**
 * The root that containers see where the programs of this machine stand for an image: built from a list of what is meant to
 * be seen, not from the machine's root less a list. `directory` takes the parts that are copies; it is recreated.
 */
export function buildMachineRoot(directory: string): RootEntry[] {
  rmSync(directory, { recursive: true, force: true });
  const entries: RootEntry[] = [];
  for (const name of programFolders) {
    const entry = readEntry(join('/', name), name);
    if (entry) entries.push(entry);
  }
  for (const name of emptyFolders) {
    mkdirSync(join(directory, name), { recursive: true, mode: 0o755 });
    entries.push({ path: name, type: 'folder', source: join(directory, name) });
  }
  return [...entries, ...buildVar(join(directory, 'var')), ...buildEtc(join(directory, 'etc'))];
}

function buildVar(directory: string): RootEntry[] {
  for (const name of emptyVarFolders) mkdirSync(join(directory, name), { recursive: true, mode: 0o755 });
  symlinkSync('/run', join(directory, 'run'));
  symlinkSync('/run/lock', join(directory, 'lock'));
  return [{ path: 'var', type: 'folder', source: directory }];
}

/** Files are copied; folders are bound, with the folders of keys in them covered. */
function buildEtc(directory: string): RootEntry[] {
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  const entries: RootEntry[] = [{ path: 'etc', type: 'folder', source: directory }];
  for (const name of readdirSync('/etc')) {
    if (!settings.some((pattern) => pattern.test(name))) continue;
    const source = join('/etc', name);
    const copy = join(directory, name);
    try {
      const stat = lstatSync(source);
      if (stat.isSymbolicLink()) symlinkSync(readlinkSync(source), copy);
      else if (stat.isFile()) copyFileSync(source, copy);
      else if (stat.isDirectory()) {
        mkdirSync(copy, { mode: 0o755 });
        entries.push({ path: `etc/${name}`, type: 'folder', source });
      }
    } catch (error) {
      // Containers of this user do not need files that it may not read.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    }
  }
  // Mount points of the Pod's own.
  for (const name of ['hosts', 'hostname', 'resolv.conf']) {
    rmSync(join(directory, name), { force: true });
    writeFileSync(join(directory, name), '', { mode: 0o644 });
  }
  const nothing = join(dirname(directory), 'nothing');
  mkdirSync(nothing, { recursive: true, mode: 0o555 });
  for (const name of keyFolders)
    if (isFolder(join('/etc', name))) entries.push({ path: `etc/${name}`, type: 'folder', source: nothing });
  return entries;
}

function readEntry(source: string, path: string): RootEntry | undefined {
  const stat = lstatSync(source, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return { path, type: 'link', target: readlinkSync(source) };
  return stat?.isDirectory() ? { path, type: 'folder', source } : undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
