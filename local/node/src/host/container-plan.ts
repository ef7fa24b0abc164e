import type { SandboxFlag, SandboxJob } from '../sandbox/sandbox-job.ts';

/** A container before its start: its root, and the process that is run in it. */
export interface ContainerPlan {
  readonly root: Pick<NonNullable<SandboxJob['container']>, 'root' | 'overlay' | 'mounts'>;
  readonly process: Pick<SandboxJob, 'command' | 'env' | 'workingDir' | 'user'>;
  /** Flags of the process, and of programs that are run beside it. */
  readonly processFlags: readonly SandboxFlag[];
  /** Flags of the container alone. */
  readonly rootFlags: readonly SandboxFlag[];
  /** As the status of a container names its image. */
  readonly imageID: string;
  readonly stopSignal?: NodeJS.Signals;
}

/** Folders of one container: in memory, and on disk. */
export interface ContainerFolders {
  readonly directory: string;
  readonly scratch: string;
}
