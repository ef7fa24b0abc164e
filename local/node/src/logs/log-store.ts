import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, notFoundError } from '@tektite/meta';
import { ContainerLog, defaultLogLimits, type LogLimits } from './container-log.ts';
import { readLog, type ReadLogOptions } from './read-log.ts';

/** Which container of which Pod. */
export interface LogOwner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The logs of all containers of this node, in folders that are named as kubelets name them. */
export class LogStore {
  private readonly directory: string;
  private readonly clock: Clock;
  private readonly limits: LogLimits;
  private readonly onError: (error: Error) => void;
  private readonly live = new Map<string, ContainerLog>();

  /** `onError` is called once for each log that loses lines. */
  constructor(
    directory: string,
    clock: Clock,
    limits: LogLimits = defaultLogLimits,
    onError: (error: Error) => void = () => undefined,
  ) {
    this.onError = onError;
    this.directory = directory;
    this.clock = clock;
    this.limits = limits;
  }

  path(owner: LogOwner, container: string, attempt: number): string {
    return join(this.folder(owner), container, `${attempt}.log`);
  }

  /** Begins the log of a run of a container. */
  create(owner: LogOwner, container: string, attempt: number): ContainerLog {
    const path = this.path(owner, container, attempt);
    const log = new ContainerLog(path, this.clock, this.limits, this.onError);
    this.live.set(path, log);
    return log;
  }

  /** The log of a run that goes on. */
  current(owner: LogOwner, container: string, attempt: number): ContainerLog | undefined {
    return this.live.get(this.path(owner, container, attempt));
  }

  async close(log: ContainerLog): Promise<void> {
    await log.close();
    if (this.live.get(log.path) === log) this.live.delete(log.path);
  }

  read(owner: LogOwner, container: string, attempt: number, options: ReadLogOptions): AsyncIterable<Buffer> {
    if (attempt < 0) throw notFoundError({ group: '', resource: 'pods' }, owner.name);
    const path = this.path(owner, container, attempt);
    return readLog(path, this.live.get(path), options, this.clock);
  }

  async remove(owner: LogOwner): Promise<void> {
    await rm(this.folder(owner), { recursive: true, force: true });
  }

  /** Removes the logs of all Pods but these. */
  async keepOnly(uids: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.directory).catch(() => [])) {
      const uid = name.slice(name.lastIndexOf('_') + 1);
      if (!uids.has(uid)) await rm(join(this.directory, name), { recursive: true, force: true });
    }
  }

  private folder({ namespace, name, uid }: LogOwner): string {
    return join(this.directory, `${namespace}_${name}_${uid}`);
  }
}
