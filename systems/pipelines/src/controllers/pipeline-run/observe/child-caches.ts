import { type CachedSource, type Change, owned, type ReconcileContext } from '@tektite/controller';
import { controllerOf, equalJson, hasOwner } from '@tektite/meta';
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
import { type ChildKind, type ChildRun, conditionOf, isOver } from '../decide/child-run.ts';

/**
 * A run is reconciled when a child completes, is restarted, or is deleted. Creations are its own, and a controller that was down
 * reconciles every run when it starts.
 */
function hasNews(change: Change<ChildRun>): boolean {
  if (change.type !== 'modified') return change.type !== 'added';
  const { object, before } = change;
  return isOver(object) ? !equalJson(conditionOf(object), conditionOf(before)) : isOver(before);
}

/** The caches of children. They are shared with other controllers of the same transforms. */
export interface ChildCaches {
  readonly taskRuns: CachedSource<CachedTaskRun>;
  readonly customRuns: CachedSource<CachedCustomRun>;
  readonly pipelineRuns: CachedSource<CachedPipelineRun>;
}

/** The services that find children. */
export interface ChildServices {
  readonly context: Pick<ReconcileContext, 'cache'>;
  readonly children: ChildCaches;
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

/** The child of a run with that name. An object of the same name that another run owns is no child. */
export function findChild(
  run: PipelineRun,
  kind: ChildKind,
  name: string,
  { context: { cache }, children }: ChildServices,
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
 * All children: those that the status lists, and those that a reconcile created which died before it wrote the status. Ordered by
 * task and name.
 */
export function knownChildren(
  run: PipelineRun,
  { context: { cache }, children: caches }: ChildServices,
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

/** The PipelineRuns that a run is a child of, nearest first. */
export function ancestorsOf(
  run: CachedPipelineRun,
  { context: { cache }, children }: ChildServices,
): readonly CachedPipelineRun[] {
  const ancestors: CachedPipelineRun[] = [];
  const seen = new Set<string>();
  for (let current = run; ; ) {
    const owner = controllerOf(current);
    if (owner?.kind !== 'PipelineRun' || seen.has(owner.uid)) return ancestors;
    seen.add(owner.uid);
    const parent = cache(children.pipelineRuns).get(`${current.metadata.namespace ?? ''}/${owner.name}`);
    if (!parent) return ancestors;
    ancestors.push(parent);
    current = parent;
  }
}
