import { controllerOf, isStatusError } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { CustomRun, PipelineRun as PipelineRunKind, TaskRun } from '../../../kinds/kinds.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import { createWithBackoff } from '../../../creation/create-with-backoff.ts';
import { type ChildDrafts, creationFailure } from '../children/draft-children.ts';
import type { ChildRun } from '../decide/child-run.ts';
import type { TaskState } from '../decide/task-state.ts';
import type { PipelineRunServices } from '../observe/pipeline-run-services.ts';

const kindOf = { TaskRun, CustomRun, PipelineRun: PipelineRunKind } as const;

/** Creations in flight at a time. */
const concurrency = 16;

/** Creates the runs of tasks. The first error ends it: a `RunFailure` if it is terminal. */
export async function createChildren(
  { children, states }: ChildDrafts,
  run: PipelineRun,
  services: PipelineRunServices,
): Promise<ReadonlyMap<TaskState, readonly ChildRun[]>> {
  const created = new Map<TaskState, ChildRun[]>(states.map((state) => [state, []]));
  const failures: unknown[] = [];
  await inParallel(children, concurrency, async ({ state, draft }) => {
    if (failures.length > 0) return;
    try {
      const child = await createChild(draft, run, services);
      created.get(state)?.push(child);
    } catch (cause) {
      const { error, event } = creationFailure(state, cause);
      services.context.event(event);
      failures.push(error);
    }
  });
  if (failures.length > 0) throw failures[0];
  return created;
}

async function inParallel<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}

/** Creates a child, or returns the one that a reconcile created which died before it wrote the status. */
async function createChild(
  draft: ChildRun,
  run: PipelineRun,
  { context, remote }: PipelineRunServices,
): Promise<ChildRun> {
  const { client, signal } = context;
  const kind = kindOf[draft.kind as keyof typeof kindOf] as Kind<ChildRun>;
  const create = () => client.create(kind, draft, { signal });
  try {
    // Upstream does not repeat creations of PipelineRuns.
    return draft.kind === 'PipelineRun' ? await create() : await createWithBackoff(create, remote.settings, context);
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
    const { namespace = '', name = '' } = draft.metadata;
    const found = await client.get(kind, { namespace, name }, { signal });
    if (controllerOf(found)?.uid === run.metadata.uid) return found;
    throw error;
  }
}
