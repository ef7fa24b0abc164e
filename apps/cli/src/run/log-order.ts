import type { TaskRun } from '@tektite/pipelines';
import { conditionOf } from '@tektite/dashboard/run';

/** A Pod whose logs are to be read. */
interface PodLog {
  readonly pod: string;
  readonly tasks: readonly string[];
  readonly began: string;
  readonly rank: number;
  readonly completed: boolean;
}

/**
 * Decides when the logs of each Pod are read: those of tasks that completed earlier one after the other, in the order in which
 * the tasks started; those of tasks that run, at once. A client that joins late reads the past in order, then the present.
 */
export class LogOrder {
  private readonly read: (pod: string, tasks: readonly string[]) => Promise<void>;
  private readonly known = new Set<string>();
  private waiting: PodLog[] = [];
  private holds = 0;
  private past: Promise<void> = Promise.resolve();

  constructor(read: (pod: string, tasks: readonly string[]) => Promise<void>) {
    this.read = read;
  }

  /** A TaskRun with a Pod; `tasks` leads to it, and `rank` is its place in the order of the pipeline. */
  add(run: TaskRun, tasks: readonly string[], rank: number): void {
    const { podName: pod = '', startTime: began = '' } = run.status ?? {};
    if (this.known.has(pod)) return;
    this.known.add(pod);
    const completed = (conditionOf(run)?.status ?? 'Unknown') !== 'Unknown';
    this.waiting.push({ pod, tasks, began, rank, completed });
    if (this.holds === 0) this.flush();
  }

  /** Nothing is read until `listed` resolves: tasks are listed in no order. */
  async hold(listed: Promise<unknown>): Promise<void> {
    this.holds++;
    try {
      await listed;
    } finally {
      if (--this.holds === 0) this.flush();
    }
  }

  /** Resolves when everything that was added is being read, and the past has been. */
  async flushed(): Promise<void> {
    await this.past;
  }

  private flush(): void {
    const all = this.waiting.sort(byStart);
    this.waiting = [];
    const [past, present] = [all.filter(({ completed }) => completed), all.filter(({ completed }) => !completed)];
    // With no past to read first, what runs is read at once.
    if (past.length === 0) for (const { pod, tasks } of present) void this.read(pod, tasks);
    else this.past = this.past.then(() => this.readAll(past, present));
  }

  private async readAll(past: readonly PodLog[], present: readonly PodLog[]): Promise<void> {
    for (const { pod, tasks } of past) await this.read(pod, tasks);
    for (const { pod, tasks } of present) void this.read(pod, tasks);
  }
}

/** Times of statuses are whole seconds: tasks that started in the same one are in the order of the pipeline. */
function byStart(a: PodLog, b: PodLog): number {
  if (a.began !== b.began) return a.began < b.began ? -1 : 1;
  return a.rank - b.rank || a.pod.localeCompare(b.pod, 'en', { numeric: true });
}
