/** A mount in the root of a container. Paths of the container are without links where the job says so. */
export type SandboxMount =
  | {
      readonly kind: 'bind';
      readonly source: string;
      /** Open on the source, in this process. */
      readonly descriptor?: number;
      readonly target: string;
      readonly readOnly: boolean;
      /** With all that is mounted below it. */
      readonly recursive: boolean;
      /** Whether programs in it may be run. Default: they may. */
      readonly programs?: boolean;
      /** Make the mount point where it is missing. */
      readonly makePoint: boolean;
    }
  /** A folder over others, all read-only, the uppermost first. */
  | {
      readonly kind: 'layered';
      readonly source: string;
      readonly under: readonly string[];
      readonly target: string;
      /** Whether programs in it may be run. */
      readonly programs: boolean;
      readonly makePoint: boolean;
    }
  /** Nothing in the place of a file or folder, where there is one. */
  | { readonly kind: 'cover'; readonly target: string };

export type SandboxFlag =
  | 'terminal'
  | 'readOnlyRoot'
  | 'privileged'
  | 'noNewPrivileges'
  | 'userNamespace'
  | 'singleId'
  | 'resolvedPaths'
  | 'makeWorkingFolder';

/** A filter of system calls: the default one, none, or one of the machine. */
export type SeccompFilter =
  | { readonly type: 'default' }
  | { readonly type: 'none' }
  | { readonly type: 'rules'; readonly defaultAction: number; readonly rules: readonly SeccompRule[] };

export interface SeccompRule {
  readonly names: readonly string[];
  /** As the kernel writes it: `SECCOMP_RET_…`. */
  readonly action: number;
  readonly conditions: readonly SeccompCondition[];
}

export interface SeccompCondition {
  readonly argument: number;
  readonly operator: number;
  readonly value: bigint;
  readonly mask: bigint;
}

/** The job of the sandbox program: a program to run, and the container around it. See native/sandbox/src/job.h. */
export interface SandboxJob {
  readonly command: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly workingDir: string;
  readonly user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };
  readonly capabilities: bigint;
  readonly seccomp: SeccompFilter;
  readonly cgroups: readonly string[];
  readonly flags: readonly SandboxFlag[];
  /** A new container. */
  readonly container?: {
    readonly hostname: string;
    readonly root: string;
    /** Layers of an overlay, the uppermost first, and its writable folders. */
    readonly overlay?: { readonly layers: readonly string[]; readonly upper: string; readonly work: string };
    readonly mounts: readonly SandboxMount[];
    /** Settings of the kernel for the namespaces of the container, by path below `/proc/sys`. */
    readonly sysctls?: ReadonlyMap<string, string>;
    /** The process whose PID namespace is shared. */
    readonly processesOf?: number;
    /** Open, in this process, on the network namespace of the Pod. Default: that of the machine. */
    readonly network?: number;
  };
  /** The first process of a running container. */
  readonly target?: number;
}

/** A job as the sandbox program reads it, and the descriptors that it has to inherit, the first as number 4. */
export interface EncodedJob {
  readonly bytes: Buffer;
  readonly descriptors: readonly number[];
}

/** A word that no program can be given. */
export class JobError extends Error {}

const tags = {
  argument: 1,
  variable: 2,
  workingFolder: 3,
  hostname: 4,
  root: 5,
  layer: 6,
  upper: 7,
  work: 8,
  mount: 9,
  cgroup: 10,
  user: 11,
  groups: 12,
  capabilities: 13,
  flags: 15,
  processesOf: 16,
  target: 17,
  network: 18,
  seccomp: 20,
  seccompRule: 21,
  sysctl: 22,
} as const;

const flagBits: Readonly<Record<SandboxFlag, number>> = {
  terminal: 1,
  readOnlyRoot: 2,
  privileged: 4,
  noNewPrivileges: 8,
  userNamespace: 16,
  singleId: 32,
  resolvedPaths: 64,
  makeWorkingFolder: 128,
};

const version = 1;
const firstDescriptor = 4;
const noDescriptor = 0xffff_ffff;
const maxText = 1 << 20;

export function encodeJob(job: SandboxJob): EncodedJob {
  const parts: Buffer[] = [];
  const descriptors: number[] = [];
  const add = (tag: keyof typeof tags, content: Buffer) => parts.push(numbers(tags[tag], content.length), content);
  const addText = (tag: keyof typeof tags, value: string) => add(tag, text(value));
  for (const word of job.command) addText('argument', word);
  for (const [name, value] of job.env) addText('variable', `${name}=${value}`);
  addText('workingFolder', job.workingDir);
  for (const cgroup of job.cgroups) addText('cgroup', cgroup);
  add('user', numbers(job.user.uid, job.user.gid));
  add('groups', numbers(...job.user.groups));
  add('capabilities', long(job.capabilities));
  add('flags', numbers(job.flags.reduce((bits, flag) => bits | flagBits[flag], 0)));
  addSeccomp(job.seccomp, add);
  if (job.target !== undefined) add('target', numbers(job.target));
  const { container } = job;
  if (container) {
    if (container.hostname !== '') addText('hostname', container.hostname);
    addText('root', container.root);
    for (const layer of container.overlay?.layers ?? []) addText('layer', layer);
    if (container.overlay) {
      addText('upper', container.overlay.upper);
      addText('work', container.overlay.work);
    }
    for (const mount of container.mounts) add('mount', encodeMount(mount, descriptors));
    for (const [path, value] of container.sysctls ?? []) addText('sysctl', `${path}=${value}`);
    if (container.processesOf !== undefined) add('processesOf', numbers(container.processesOf));
    if (container.network !== undefined) {
      add('network', numbers(firstDescriptor + descriptors.length));
      descriptors.push(container.network);
    }
  }
  return { bytes: withHeader(Buffer.concat(parts)), descriptors };
}

/** A job that needs nothing said. */
export function emptyJob(): EncodedJob {
  return { bytes: withHeader(Buffer.alloc(0)), descriptors: [] };
}

function withHeader(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from('TSBX'), numbers(version, body.length), body]);
}

function encodeMount(mount: SandboxMount, descriptors: number[]): Buffer {
  if (mount.kind === 'cover') return Buffer.concat([numbers(2, 0, noDescriptor), text(mount.target)]);
  if (mount.kind === 'layered') {
    const flags = 1 | (mount.programs ? 0 : 2) | (mount.makePoint ? 8 : 0);
    const paths = [mount.source, ...mount.under, mount.target];
    return Buffer.concat([numbers(1, flags, noDescriptor), ...paths.map(text)]);
  }
  const flags =
    (mount.readOnly ? 1 : 0) |
    (mount.programs === false ? 2 : 0) |
    (mount.recursive ? 4 : 0) |
    (mount.makePoint ? 8 : 0);
  const place = mount.descriptor === undefined ? noDescriptor : firstDescriptor + descriptors.length;
  if (mount.descriptor !== undefined) descriptors.push(mount.descriptor);
  return Buffer.concat([numbers(0, flags, place), text(mount.source), text(mount.target)]);
}

function addSeccomp(filter: SeccompFilter, add: (tag: 'seccomp' | 'seccompRule', content: Buffer) => void): void {
  if (filter.type !== 'rules') {
    add('seccomp', numbers(filter.type === 'default' ? 0 : 1, 0));
    return;
  }
  add('seccomp', numbers(2, filter.defaultAction));
  for (const { action, conditions, names } of filter.rules) {
    const encoded = conditions.flatMap(({ argument, operator, value, mask }) => [
      numbers(argument, operator),
      long(value),
      long(mask),
    ]);
    add('seccompRule', Buffer.concat([numbers(action, conditions.length), ...encoded, ...names.map(text)]));
  }
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, 4 * index);
  return bytes;
}

function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return bytes;
}

function text(value: string): Buffer {
  if (value.includes('\0')) throw new JobError('a program cannot be given words with null bytes');
  if (Buffer.byteLength(value) >= maxText) throw new JobError('argument list too long');
  return Buffer.from(`${value}\0`);
}
