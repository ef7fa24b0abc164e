import type { Client } from '@tektite/client';
import { TaskRun as TaskRunKind } from '../../../kinds/kinds.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';

/** Seldom are more runs in progress at a time. */
const maxEntries = 1000;

/** The Task specs of completed TaskRuns of runs in progress. Caches drop them, so they are read from the API, once for each. */
export class CompletedTasks {
  private readonly byRun = new Map<string, Map<string, TaskSpec | undefined>>();

  /** `undefined` for a TaskRun that failed before it recorded its Task, and for a deleted one. */
  async specOf(
    { metadata: { uid: run = '' } }: PipelineRun,
    { metadata: { uid = '', namespace = '', name = '' } }: Pick<TaskRun, 'metadata'>,
    { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
  ): Promise<TaskSpec | undefined> {
    const known = this.byRun.get(run);
    if (known?.has(uid)) return known.get(uid);
    const found = await client.getOrUndefined(TaskRunKind, { namespace, name }, { signal });
    const spec = found?.metadata.uid === uid ? found.status?.taskSpec : undefined;
    this.of(run).set(uid, spec);
    return spec;
  }

  forget({ metadata }: PipelineRun): void {
    this.byRun.delete(metadata.uid ?? '');
  }

  private of(run: string): Map<string, TaskSpec | undefined> {
    let specs = this.byRun.get(run);
    if (!specs) this.byRun.set(run, (specs = new Map()));
    const [oldest] = this.byRun.keys();
    if (this.byRun.size > maxEntries && oldest !== undefined) this.byRun.delete(oldest);
    return specs;
  }
}
