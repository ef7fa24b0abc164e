import type { HeldImage } from '@tektite/oci';

/**
 * Runs the containers of one machine's Pods. It does not know the API. The agent decides which container runs when, and
 * what that means for the Pod.
 *
 * Guarantees
 * - `startContainer` resolves when the container's own program runs, and rejects with a `ContainerStartError` when it
 *   never will. After a rejection nothing of the container is left running.
 * - `exited` resolves once, after all output was given to the spec's `output` and no process of the container is left.
 *   It never rejects.
 * - `close` ends all containers. When this process is killed, they die with it, or are ended by the next `open`; that
 *   also removes what is left on disk and in memory. So one that was started by another process never runs.
 * - Pods have the address of the machine, unless `createSandbox` says which they have.
 * - Nothing in a spec lets a container read or change anything that it was not given. The README lists the limits.
 */
export interface PodRuntime {
  /** Goes into container IDs: `NAME://ID`. */
  readonly name: string;
  /** The part of nodeInfo.containerRuntimeVersion after the name. */
  readonly version: string;
  /** Whether mounts are real: otherwise volumes are not written to disk. */
  readonly usesFiles: boolean;
  /** Containers run from images of the image store: the agent gives each spec its `heldImage`. Default false. */
  readonly usesImages?: boolean;
  /** Containers start at once: neither waiting containers nor their starts are reported. */
  readonly startsAtOnce: boolean;
  /** Checks that this machine can run containers, and removes what a killed predecessor left. Called once, first. */
  open(): Promise<void>;
  /** Prepares what the containers of a Pod share. Doing it again changes nothing. Resolves with the addresses of the Pod, where it has some. */
  createSandbox(sandbox: PodSandbox): Promise<readonly string[] | undefined>;
  startContainer(spec: ContainerSpec): Promise<RunningContainer>;
  /** After all its containers have ended. */
  removeSandbox(uid: string): Promise<void>;
  /** The user of an image, as far as this runtime knows. Undefined: unknown, or not needed. */
  imageUser(image: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The shared environment of a Pod's containers. */
export interface PodSandbox {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly hostname: string;
  /** The name of the Pod in DNS, where it has one. */
  readonly fullName?: string;
  /** Whether the Pod has the network of the machine even where Pods have their own. */
  readonly hostNetwork: boolean;
  /** Settings of the kernel for the Pod alone, by path below `/proc/sys`. */
  readonly sysctls: ReadonlyMap<string, string>;
  /** One PID namespace for all containers. */
  readonly shareProcessNamespace: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  /** A folder of the Pod's own, which exists. */
  readonly directory: string;
  /** Lines for `/etc/hosts`, beyond those of every machine. */
  readonly hostAliases: readonly { readonly ip: string; readonly hostnames: readonly string[] }[];
  /** Replaces the machine's `/etc/resolv.conf`, if given. */
  readonly resolvConf?: string;
}

export interface ContainerMount {
  /** Exists. A folder or a file. */
  readonly hostPath: string;
  /** An open descriptor of it, where a container could exchange what is at the path. Closed by who made the spec. */
  readonly descriptor?: number;
  /** Folders in it that the container must not see, relative to it. */
  readonly covered?: readonly string[];
  /** It shows an image, of which `hostPath` is the uppermost layer: the layers below it. Its programs are not run. */
  readonly image?: { readonly under: readonly string[] };
  /** Absolute, clean. */
  readonly containerPath: string;
  readonly readOnly: boolean;
}

export interface ContainerUser {
  readonly uid?: number;
  readonly gid?: number;
  readonly supplementalGroups: readonly number[];
}

export interface ContainerLimits {
  readonly memoryBytes?: number;
  readonly cpuMillis?: number;
  /** The guaranteed CPU share; 0 is the least that the kernel gives. */
  readonly cpuRequestMillis?: number;
}

export interface ContainerSpec {
  /** Unique among all containers of all times. */
  readonly id: string;
  readonly name: string;
  /** 0 for the first of this name in the Pod. */
  readonly attempt: number;
  /** Whether the Pod has it started again even when it ends with success: it is meant to go on. */
  readonly restarts: boolean;
  readonly sandbox: PodSandbox;
  readonly image: string;
  readonly imagePullPolicy: ImagePullPolicy;
  /** The image, for runtimes that use images. It stays held until the container has ended. */
  readonly heldImage?: HeldImage;
  /** Replaces the image's entrypoint, unless empty. */
  readonly command: readonly string[];
  /** Replaces the image's arguments, unless empty and without a command. */
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly workingDir?: string;
  /** In the order in which they are mounted. */
  readonly mounts: readonly ContainerMount[];
  readonly user: ContainerUser;
  readonly readOnlyRootFilesystem: boolean;
  readonly privileged: boolean;
  /** Whether programs may gain rights that their parents lack, as by setuid. */
  readonly allowPrivilegeEscalation: boolean;
  readonly capabilities: { readonly add: readonly string[]; readonly drop: readonly string[] };
  readonly seccompProfile: SeccompProfile;
  readonly limits: ContainerLimits;
  readonly stdin: boolean;
  /** In a terminal, where the runtime offers one: output is one stream then, and has its line ends. */
  readonly tty: boolean;
  readonly output: OutputSink;
}

/** The filter of a container's system calls. A profile of the machine is a file, relative to the runtime's folder of them. */
export type SeccompProfile =
  | { readonly type: 'RuntimeDefault' | 'Unconfined' }
  | { readonly type: 'Localhost'; readonly localhostProfile: string };

export type ImagePullPolicy = 'Always' | 'IfNotPresent' | 'Never';

export type OutputStream = 'stdout' | 'stderr';

/** Takes what a container prints. */
export interface OutputSink {
  /** False: wait for `drained` before writing more. */
  write(stream: OutputStream, chunk: Uint8Array): boolean;
  drained(): Promise<void>;
}

export interface RunningContainer {
  readonly id: string;
  /** The image that was run, by the runtime's own name for it. */
  readonly imageID: string;
  readonly startedAt: number;
  readonly exited: Promise<ContainerExit>;
  /** The user of the first process, if known. */
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
  /** The process of this machine whose descendants are the container, where there is one. */
  readonly processId?: number;
  /** It only seems to run, and so nothing listens: probes over the network count as answered. */
  readonly answersProbes?: boolean;
  /** The signal of the image that asks it to stop, where the Pod names none. Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  /** To the first process. Does nothing after the end. SIGKILL ends all processes of the container. */
  signal(signal: NodeJS.Signals): void;
  /** Runs a program beside, with the same view of the world and the same restrictions. */
  exec(request: ExecRequest, signal?: AbortSignal): Promise<ExecResult>;
  /** The container's standard input, if the spec asked for one. */
  readonly stdin?: NodeJS.WritableStream;
  /** Sets the size of the container's terminal, if it has one. */
  resize?(size: TerminalSize): void;
  /** Replaces its limits while it runs. Throws, and changes nothing, where they cannot hold. Absent: limits last as long as the container. */
  setLimits?(limits: ContainerLimits): void;
}

export interface ExecRequest {
  readonly command: readonly string[];
  readonly stdin?: NodeJS.ReadableStream;
  /** A returned promise settles when more output can be taken: until then the program waits. */
  readonly onOutput: (stream: OutputStream, chunk: Uint8Array) => Promise<void> | void;
  /** In a terminal: output is one stream then, and has its line ends. */
  readonly tty?: boolean;
  /** Sizes for that terminal, as they come. */
  readonly sizes?: AsyncIterable<TerminalSize>;
}

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

export interface ExecResult {
  readonly exitCode: number;
}

export interface ContainerExit {
  /** 128 + signal when a signal ended it. */
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly finishedAt: number;
  /** The termination message, where it is not read from a file. */
  readonly lastWords?: string;
}
