import { type CachedSource, type Change, owned } from '@tektite/controller';
import { equalJson, hasOwner } from '@tektite/meta';
import type {
  CachedCustomRun,
  CachedPipelineRun,
  CachedTaskRun,
  CacheTransforms,
} from '../../../cache/cache-transforms.ts';
import type { CustomRun as CustomRunObject } from '../../../kinds/custom-run.ts';
import { CustomRun, PipelineRun as PipelineRunKind, TaskRun as TaskRunKind } from '../../../kinds/kinds.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { ChildReference } from '../../../kinds/pipeline-run-spec.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { type ChildKind, type ChildRun, conditionOf, isOver } from '../children/child-run.ts';
import type { PipelineRunServices } from '../pipeline-run-services.ts';

/**
 * A run only has to look at its children when one of them ended, came back, or went. That they were created it knows: it did it.
 * Who was down meanwhile looks at everything anyway.
 */
function hasNews(change: Change<ChildRun>): boolean {
  if (change.type !== 'modified') return change.type !== 'added';
  const { object, before } = change;
  return isOver(object) ? !equalJson(conditionOf(object), conditionOf(before)) : isOver(before);
}

/** Where runs find their children. The same as all other controllers have, if these are told to keep the same of them. */
export interface ChildCaches {
  readonly taskRuns: CachedSource<CachedTaskRun>;
  readonly customRuns: CachedSource<CachedCustomRun>;
  readonly pipelineRuns: CachedSource<CachedPipelineRun>;
}

export function childCaches({ taskRun, customRun, pipelineRun }: CacheTransforms): ChildCaches {
  return {
    taskRuns: owned<TaskRun, CachedTaskRun>(TaskRunKind, { predicate: hasNews, transform: taskRun }),
    customRuns: owned<CustomRunObject, CachedCustomRun>(CustomRun, { predicate: hasNews, transform: customRun }),
    pipelineRuns: owned<PipelineRun, CachedPipelineRun>(PipelineRunKind, {
      predicate: hasNews,
      transform: pipelineRun,
    }),
  };
}

/** The child of a run with that name, if it is the run's own: another may have had the name before. */
export function findChild(
  run: PipelineRun,
  kind: ChildKind,
  name: string,
  { context: { cache }, children }: Pick<PipelineRunServices, 'context' | 'children'>,
): ChildRun | undefined {
  const key = `${run.metadata.namespace ?? ''}/${name}`;
  const found: ChildRun | undefined =
    kind === 'TaskRun'
      ? cache(children.taskRuns).get(key)
      : kind === 'CustomRun'
        ? cache(children.customRuns).get(key)
        : cache(children.pipelineRuns).get(key);
  return found && hasOwner(found, run) ? found : undefined;
}

/**
 * The children that the status knows, and those that it does not because whoever created them died before it could say so. In the order of
 * tasks and names.
 */
export function knownChildren(
  run: PipelineRun,
  { context: { cache }, children: caches }: PipelineRunServices,
): readonly ChildReference[] {
  const known = run.status?.childReferences ?? [];
  const children: readonly ChildRun[] = [
    ...cache(caches.pipelineRuns).ownedBy(run),
    ...cache(caches.taskRuns).ownedBy(run),
    ...cache(caches.customRuns).ownedBy(run),
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
