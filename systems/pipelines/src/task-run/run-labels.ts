import type { TaskRun } from '../kinds/task-run.ts';
import type { ResolvedTask } from './resolve-task.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * A run with what its Task says of itself, once, when that is found; what the run itself says wins. Every run says which
 * release ran it.
 */
export function labelled(taskRun: TaskRun, task: ResolvedTask, release: string): TaskRun {
  const { labels = {}, annotations = {} } = taskRun.metadata;
  const { [lastApplied]: _, ...own } = task.annotations;
  const isReferred = taskRun.spec.taskRef !== undefined;
  const merged = {
    ...(task.isNew ? task.labels : {}),
    ...labels,
    ...(isReferred && task.name ? { 'tekton.dev/task': task.name } : {}),
  };
  return {
    ...taskRun,
    metadata: {
      ...taskRun.metadata,
      ...(Object.keys(merged).length > 0 ? { labels: merged } : {}),
      annotations: { ...(task.isNew ? own : {}), ...annotations, 'pipeline.tekton.dev/release': release },
    },
  };
}
