import { type CachedSource, type Change, owned, type ReconcileContext } from '@tektite/controller';
import { equalJson, hasOwner } from '@tektite/meta';
import type { CustomRun as CustomRunObject } from '../kinds/custom-run.ts';
import { CustomRun, PipelineRun as PipelineRunKind, TaskRun as TaskRunKind } from '../kinds/kinds.ts';
import type { PipelineRun } from '../kinds/pipeline-run.ts';
import type { ChildReference } from '../kinds/pipeline-run-spec.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import { type ChildKind, type ChildRun, conditionOf, isOver } from '../pipeline/child-run.ts';

/**
 * A run only has to look at its children when one of them ended, came back, or went. That they were created it knows: it did it.
 * Who was down meanwhile looks at everything anyway.
 */
function hasNews(change: Change<ChildRun>): boolean {
  if (change.type !== 'modified') return change.type !== 'added';
  const { object, before } = change;
  return isOver(object) ? !equalJson(conditionOf(object), conditionOf(before)) : isOver(before);
}

export const taskRuns: CachedSource<TaskRun> = owned<TaskRun>(TaskRunKind, { predicate: hasNews });
export const customRuns: CachedSource<CustomRunObject> = owned<CustomRunObject>(CustomRun, { predicate: hasNews });
export const childPipelineRuns: CachedSource<PipelineRun> = owned<PipelineRun>(PipelineRunKind, { predicate: hasNews });

/** The child of a run with that name, if it is the run's own: another may have had the name before. */
export function findChild(
  run: PipelineRun,
  kind: ChildKind,
  name: string,
  { cache }: ReconcileContext,
): ChildRun | undefined {
  const key = `${run.metadata.namespace ?? ''}/${name}`;
  const found: ChildRun | undefined =
    kind === 'TaskRun'
      ? cache(taskRuns).get(key)
      : kind === 'CustomRun'
        ? cache(customRuns).get(key)
        : cache(childPipelineRuns).get(key);
  return found && hasOwner(found, run) ? found : undefined;
}

/**
 * The children that the status knows, and those that it does not because whoever created them died before it could say so. In the order of
 * tasks and names.
 */
export function knownChildren(run: PipelineRun, { cache }: ReconcileContext): readonly ChildReference[] {
  const known = run.status?.childReferences ?? [];
  const children: readonly ChildRun[] = [
    ...cache(childPipelineRuns).ownedBy(run),
    ...cache(taskRuns).ownedBy(run),
    ...cache(customRuns).ownedBy(run),
  ];
  if (children.length === 0) return known;
  const byName = new Map(known.map((child) => [child.name, child]));
  for (const { apiVersion, kind, metadata } of children) {
    const { name = '', labels = {} } = metadata;
    if (!byName.has(name))
      byName.set(name, { apiVersion, kind, name, pipelineTaskName: labels['tekton.dev/pipelineTask'] ?? '' });
  }
  return byName.size === known.length ? known : [...byName.values()].sort(byTaskAndName);
}

function byTaskAndName(a: ChildReference, b: ChildReference): number {
  return compare(a.pipelineTaskName, b.pipelineTaskName) || compare(a.name, b.name) || compare(a.kind, b.kind);
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
