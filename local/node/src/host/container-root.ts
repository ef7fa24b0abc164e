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
import type { SandboxMount } from '../sandbox/sandbox-job.ts';
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
  readonly hidden: readonly string[];
  readonly userNamespace: boolean;
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
 * The root is a new folder with /proc, /dev and /sys, on which the entries of the base are bound read-only, then the
 * container's private folders, then its volumes. Mount points that the base lacks are put into a layer above the base's entry;
 * the base itself is never touched.
 */
export class ContainerRoot {
  private readonly options: ContainerRootOptions;
  readonly root: string;
  /** Mount points that the base lacks, by entry of the root. */
  private readonly layers = new Set<string>();
  private readonly planned: PlannedMount[] = [];
  private readonly mounts: SandboxMount[] = [];

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
    for (const folder of ['proc', 'sys', 'dev']) mkdirSync(join(this.root, folder), { mode: 0o755 });
  }

  /** Mounts in the order given; one below another must come later. */
  add(mount: ContainerMount): void {
    const folder =
      mount.descriptor === undefined ? statSync(mount.hostPath).isDirectory() : descriptorIsFolder(mount.descriptor);
    const at = this.prepare(mount.containerPath, folder ? 'folder' : 'file');
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

  /** The mounts, in their order. */
  finish(): readonly SandboxMount[] {
    this.mountBase();
    for (const { at, mount } of this.planned) {
      const layered = layeredMount(mount, at);
      if (layered) {
        this.mounts.push(layered);
        continue;
      }
      const { hostPath: source, descriptor, readOnly } = mount;
      const opened = descriptor === undefined ? {} : { descriptor };
      this.mounts.push({
        kind: 'bind',
        source,
        ...opened,
        target: at,
        readOnly,
        recursive: this.recursive,
        makePoint: true,
      });
      for (const path of mount.covered ?? []) this.mounts.push({ kind: 'cover', target: join(at, path) });
    }
    return this.mounts;
  }

  /** Where the kernel locks the host's mounts together, a part of them cannot be bound without what is mounted in it. */
  private get recursive(): boolean {
    return this.options.userNamespace;
  }

  private bind(source: string, target: string, readOnly: boolean): void {
    this.mounts.push({ kind: 'bind', source, target, readOnly, recursive: this.recursive, makePoint: false });
  }

  private mountBase(): void {
    const { entries, directory, scratch, hidden, readOnly } = this.options;
    for (const entry of entries) {
      if (entry.type !== 'folder') continue;
      const { path, source } = entry;
      const target = `/${path}`;
      if (!this.layers.has(path)) this.bind(source, target, true);
      else {
        const layer = join(directory, 'layer', path);
        this.mounts.push({ kind: 'layered', source: layer, under: [source], target, programs: true, makePoint: false });
      }
    }
    for (const path of hidden) if (this.sourceOf(path) === path) this.mounts.push({ kind: 'cover', target: path });
    for (const [name, at] of privateFolders) if (this.hasFolder(at)) this.bind(join(scratch, name), at, readOnly);
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
    // The same place as another mount, such as /etc/hosts of the Pod: this one covers it.
    else if (place.kind === 'volume' && place.rest === '') return at;
    else if (place.kind === 'volume') makeBeneath(stablePath(place.mount.mount), place.rest, type);
    else this.prepareInBase(at, type);
    return at;
  }

  private prepareInBase(at: string, type: 'folder' | 'file'): void {
    const entry = this.entryOf(at);
    // The sandbox makes /dev, and mount points in it.
    if (isBelow(at, '/dev')) return;
    // A new entry of the root, which is the container's own.
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

/** The mount of a container that shows an image; undefined for others. */
export function layeredMount(
  { image, hostPath: source }: ContainerMount,
  target: string,
  recursive = false,
): SandboxMount | undefined {
  if (!image) return undefined;
  const { under } = image;
  const common = { source, target, programs: false, makePoint: true };
  return under.length === 0
    ? { ...common, kind: 'bind', readOnly: true, recursive }
    : { ...common, kind: 'layered', under };
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
