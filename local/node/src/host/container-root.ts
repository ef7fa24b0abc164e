import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { openBeneath, PathEscapeError } from '../volumes/beneath.ts';
import type { ContainerMount } from '../runtime/pod-runtime.ts';
import { formatFstab, type MountLine, overlayPath } from './fstab.ts';
import { hiddenInProc, readOnlyInProc } from './hidden-paths.ts';
import type { RootEntry } from './root-entry.ts';
import { privateFolders } from './scratch-pool.ts';

/** A mount path that cannot be had. */
export class MountPathError extends Error {}

const maxLinks = 40;

export interface ContainerRootOptions {
  /** A folder of the container's own, empty. */
  readonly directory: string;
  /** Another, with the folders that are private and writable. */
  readonly scratch: string;
  /** The base: the parts of the root that the container sees, read-only. */
  readonly entries: readonly RootEntry[];
  /** Paths of this machine that are covered where an entry shows them. */
  readonly hidden: readonly { readonly path: string; readonly folder: boolean }[];
  readonly devices: readonly string[];
  readonly trustedPaths: readonly string[];
  /** An empty folder and an empty file, both read-only. */
  readonly nothing: { readonly folder: string; readonly file: string };
  readonly userNamespace: boolean;
  /** A path of ours that no volume may cover, or be put into. */
  readonly reserved: string;
  /** No private writable folders: only volumes can be written. */
  readonly readOnly: boolean;
}

/** Where a path of the container is, before mounts: what decides whether a mount point can be made there. */
type Place =
  | { readonly kind: 'base'; readonly path: string }
  | { readonly kind: 'private'; readonly root: string; readonly rest: string }
  | { readonly kind: 'volume'; readonly mount: PlannedMount; readonly rest: string };

interface PlannedMount {
  readonly at: string;
  readonly mount: ContainerMount;
}

/**
 * Plans the root of a container: which empty folders and files it starts from, and what is mounted on them.
 *
 * The root is a new folder, on which the entries of the base are bound read-only, then the container's private folders,
 * /proc, /dev and /sys, then its volumes. Mount points that the base lacks are put into a layer above the base's entry;
 * the base itself is never touched.
 */
export class ContainerRoot {
  private readonly options: ContainerRootOptions;
  private readonly root: string;
  /** Mount points that the base lacks, by entry of the root. */
  private readonly layers = new Set<string>();
  private readonly planned: PlannedMount[] = [];
  private readonly lines: MountLine[] = [];
  private readonly insideVolumes: string[] = [];

  constructor(options: ContainerRootOptions) {
    this.options = options;
    // In memory, as it has many entries and on disk these take a hundred times as long. Programs write to it, but not much:
    // what grows is below the private folders, and in volumes.
    this.root = join(options.directory, 'root');
    mkdirSync(this.root, { mode: 0o755 });
    for (const entry of options.entries) {
      if (entry.type === 'link') symlinkSync(entry.target, join(this.root, entry.path));
      // The others have their mount points in the entry that they lie in.
      else if (!entry.path.includes('/')) mkdirSync(join(this.root, entry.path), { mode: 0o755 });
    }
    for (const [, at] of privateFolders) if (dirname(at) === '/') mkdirSync(join(this.root, at), { mode: 0o755 });
    this.makeDevices();
  }

  /** Mounts in the order given; one below another must come later. */
  add(mount: ContainerMount): void {
    const folder =
      mount.descriptor === undefined ? statSync(mount.hostPath).isDirectory() : descriptorIsFolder(mount.descriptor);
    const at = this.prepare(mount.containerPath, folder ? 'folder' : 'file');
    for (const trusted of this.options.trustedPaths) {
      if (trusted === at || trusted.startsWith(at === '/' ? '/' : `${at}/`))
        throw new MountPathError(
          `cannot mount at ${mount.containerPath}: what is at ${trusted} would be loaded by the programs that start containers`,
        );
    }
    const { reserved } = this.options;
    if (this.planned.some((one) => one.at === reserved) && isBelow(at, reserved))
      throw new MountPathError(`cannot mount at ${mount.containerPath}: it is this runtime's`);
    this.planned.push({ at, mount });
  }

  /** Makes sure that a folder is there, as engines do for the working directory. Leaves it to fail later if it cannot be. */
  ensureFolder(path: string): void {
    try {
      this.prepare(path, 'folder');
    } catch {
      // The container's start will say what is wrong with it.
    }
  }

  /** The table of mounts, and what to check when they are done. */
  finish(): { fstab: string; verify: string } {
    this.baseLines();
    for (const { at, mount } of this.planned) {
      this.bind(mount.hostPath, at, `nosuid,nodev${mount.readOnly ? ',ro' : ''}`);
    }
    return { fstab: formatFstab(this.lines), verify: this.checks() };
  }

  /**
   * The checks after mounting, two lines each. Mount points in volumes must be where they were requested; and sources
   * that a container could have exchanged must be those that were opened. From a user namespace our descriptors cannot
   * be seen: there the path, which was just checked, has to do.
   */
  private checks(): string {
    const points = this.insideVolumes.map((at) => `point\n${this.root}${at}\n`);
    const opened = this.planned.flatMap(({ at, mount: { descriptor } }) =>
      descriptor === undefined || this.options.userNamespace
        ? []
        : [`/proc/${process.pid}/fd/${descriptor}\n${this.root}${at}\n`],
    );
    return [...points, ...opened].join('');
  }

  private bind(source: string, at: string, options: string): void {
    // Where the kernel locks the host's mounts together, a part of them cannot be bound without what is mounted in it.
    const bind = this.options.userNamespace ? 'rbind' : 'bind';
    this.lines.push({ source, target: `${this.root}${at}`, type: 'none', options: `${bind},${options}` });
  }

  private baseLines(): void {
    const { entries, directory, scratch, hidden, nothing, userNamespace, readOnly } = this.options;
    const access = readOnly ? 'ro,' : '';
    this.lines.push({ source: this.root, target: this.root, type: 'none', options: `bind,${access}nosuid,nodev` });
    for (const entry of entries) {
      if (entry.type !== 'folder') continue;
      const { path, source } = entry;
      if (!this.layers.has(path)) this.bind(source, `/${path}`, 'ro,nosuid,nodev');
      else {
        const layers = `lowerdir=${overlayPath(join(directory, 'layer', path))}:${overlayPath(source)}`;
        this.lines.push({
          source: 'overlay',
          target: `${this.root}/${path}`,
          type: 'overlay',
          options: `${layers},ro,nosuid,nodev`,
        });
      }
    }
    for (const { path, folder } of hidden)
      if (this.sourceOf(path) === path) this.bind(folder ? nothing.folder : nothing.file, path, 'ro,nosuid,nodev');
    for (const [name, at] of privateFolders) {
      if (this.hasFolder(at)) this.bind(join(scratch, name), at, readOnly ? 'ro,nosuid,nodev' : 'nosuid,nodev');
    }
    this.procLines();
    this.bind('/sys', '/sys', 'ro,nosuid,nodev,noexec');
    if (userNamespace && existsSync('/sys/fs/cgroup')) this.bind(nothing.folder, '/sys/fs/cgroup', 'ro');
    if (existsSync('/sys/firmware')) this.bind(nothing.folder, '/sys/firmware', 'ro');
    this.deviceLines();
  }

  private procLines(): void {
    const { nothing } = this.options;
    this.lines.push({ source: 'proc', target: `${this.root}/proc`, type: 'proc', options: 'nosuid,nodev,noexec' });
    for (const name of readOnlyInProc) {
      if (existsSync(`/proc/${name}`))
        this.bind(`${this.root}/proc/${name}`, `/proc/${name}`, 'ro,nosuid,nodev,noexec');
    }
    for (const name of hiddenInProc) {
      if (!existsSync(`/proc/${name}`)) continue;
      this.bind(statSync(`/proc/${name}`).isDirectory() ? nothing.folder : '/dev/null', `/proc/${name}`, 'ro');
    }
  }

  private makeDevices(): void {
    const dev = join(this.root, 'dev');
    for (const folder of ['proc', 'sys', 'dev', 'dev/pts', 'dev/shm'])
      mkdirSync(join(this.root, folder), { mode: 0o755 });
    for (const name of this.options.devices) writeFileSync(join(dev, name), '');
    const links = {
      fd: '/proc/self/fd',
      stdin: '/proc/self/fd/0',
      stdout: '/proc/self/fd/1',
      stderr: '/proc/self/fd/2',
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(dev, name));
    symlinkSync('pts/ptmx', join(dev, 'ptmx'));
  }

  private deviceLines(): void {
    for (const name of this.options.devices) this.bind(`/dev/${name}`, `/dev/${name}`, 'nosuid,noexec');
    const shm = 'nosuid,nodev,noexec,mode=1777,size=65536k';
    this.lines.push({ source: 'tmpfs', target: `${this.root}/dev/shm`, type: 'tmpfs', options: shm });
    const pts = 'newinstance,ptmxmode=0666,mode=0620,nosuid,noexec';
    this.lines.push({ source: 'devpts', target: `${this.root}/dev/pts`, type: 'devpts', options: pts });
  }

  private hasFolder(at: string): boolean {
    const source = this.sourceOf(at);
    return (
      dirname(at) === '/' ||
      (source !== undefined && existsSync(source)) ||
      existsSync(join(this.options.directory, 'layer', at))
    );
  }

  /** Makes a mount point, if there is none, and gives its path without links. */
  private prepare(path: string, type: 'folder' | 'file'): string {
    const at = this.resolve(path);
    if (at === '/') throw new MountPathError('cannot mount at /');
    if (at === '/proc' || at.startsWith('/proc/') || at === '/sys' || at.startsWith('/sys/'))
      throw new MountPathError(`cannot mount at ${path}: it belongs to the kernel`);
    const place = this.placeOf(at);
    if (place.kind === 'private') makeBeneath(place.root, place.rest, type);
    else if (place.kind === 'volume') {
      this.insideVolumes.push(at);
      makeBeneath(stablePath(place.mount.mount), place.rest, type);
    } else this.prepareInBase(at, type);
    return at;
  }

  private prepareInBase(at: string, type: 'folder' | 'file'): void {
    const entry = this.entryOf(at);
    // A new entry of the root, or one in /dev: these folders are the container's own.
    if (!entry) {
      makeBeneath(this.root, at.slice(1), type);
      return;
    }
    const rest = at
      .slice(entry.path.length + 2)
      .split('/')
      .filter(Boolean);
    if (rest.length === 0) return;
    const existing = join(entry.source, ...rest);
    if (existsSync(existing)) {
      if (statSync(existing).isDirectory() !== (type === 'folder'))
        throw new MountPathError(`cannot mount at ${at}: one is a folder and the other is a file`);
      return;
    }
    this.layers.add(entry.path);
    let layer = join(this.options.directory, 'layer', entry.path);
    let { source } = entry;
    for (const part of ['', ...rest.slice(0, -1)]) {
      layer = join(layer, part);
      source = join(source, part);
      mkdirSync(layer, { recursive: true });
      if (existsSync(source)) chmodSync(layer, statSync(source).mode & 0o7777);
    }
    const point = join(layer, rest.at(-1) as string);
    if (type === 'folder') mkdirSync(point, { recursive: true });
    else if (!existsSync(point)) writeFileSync(point, '');
  }

  private placeOf(at: string): Place {
    let volume: PlannedMount | undefined;
    for (const mount of this.planned) if (isBelow(at, mount.at)) volume = mount;
    if (volume) return { kind: 'volume', mount: volume, rest: at.slice(volume.at.length + 1) };
    for (const [name, folder] of privateFolders)
      if (isBelow(at, folder))
        return { kind: 'private', root: join(this.options.scratch, name), rest: at.slice(folder.length + 1) };
    return { kind: 'base', path: at };
  }

  /** The innermost entry that has a path of the container. */
  private entryOf(at: string): Extract<RootEntry, { type: 'folder' }> | undefined {
    let found: Extract<RootEntry, { type: 'folder' }> | undefined;
    for (const entry of this.options.entries)
      if (entry.type === 'folder' && isBelow(at, `/${entry.path}`)) found = entry;
    return found;
  }

  /** Where a path of the base is on this machine; `undefined` for the container's own folders. */
  private sourceOf(at: string): string | undefined {
    const entry = this.entryOf(at);
    return entry && join(entry.source, at.slice(entry.path.length + 1));
  }

  private linkAt(at: string): string | undefined {
    const entry = this.options.entries.find(({ path, type }) => type === 'link' && `/${path}` === at);
    if (entry?.type === 'link') return entry.target;
    const source = this.sourceOf(at);
    return source === undefined ? undefined : linkTarget(source);
  }

  /** Follows the links that are in the base, as the container will see them. */
  private resolve(path: string): string {
    let parts = normalize(path).split('/').filter(Boolean);
    let resolved = '';
    let links = 0;
    while (parts.length > 0) {
      const [part = '', ...rest] = parts;
      parts = rest;
      if (part === '..') {
        resolved = dirname(resolved || '/').replace(/\/$/, '');
        continue;
      }
      const next = `${resolved}/${part}`;
      const target = this.placeOf(next).kind === 'base' ? this.linkAt(next) : undefined;
      if (target === undefined) {
        resolved = next;
        continue;
      }
      if (++links > maxLinks) throw new MountPathError(`${path} leads through too many links`);
      if (target.startsWith('/')) resolved = '';
      parts = [...target.split('/').filter((name) => name !== '' && name !== '.'), ...parts];
    }
    return resolved || '/';
  }
}

/** A path that cannot be exchanged, for reading the volume from this process. */
function stablePath({ descriptor, hostPath }: ContainerMount): string {
  return descriptor === undefined ? hostPath : `/proc/self/fd/${descriptor}`;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function makeBeneath(root: string, path: string, type: 'folder' | 'file'): void {
  try {
    closeSync(openBeneath(root, path, { create: type, mode: type === 'folder' ? 0o755 : 0o644 }));
  } catch (error) {
    if (error instanceof PathEscapeError) throw new MountPathError(error.message, { cause: error });
    throw error;
  }
}

function descriptorIsFolder(fd: number): boolean {
  return statSync(`/proc/self/fd/${fd}`).isDirectory();
}
