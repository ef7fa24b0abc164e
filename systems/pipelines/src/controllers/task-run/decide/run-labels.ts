import type { TaskRun } from '../../../kinds/task-run.ts';
import type { ResolvedTask } from '../observe/resolve-task.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** A run with what its Task says of itself; what the run itself says wins. Once, when the Task is found. */
export function labelled(taskRun: TaskRun, task: ResolvedTask): TaskRun {
  const { labels = {}, annotations = {} } = taskRun.metadata;
  const { [lastApplied]: _, ...own } = task.annotations;
  return withMetadata(
    taskRun,
    { ...task.labels, ...labels, ...(taskRun.spec.taskRef ? { 'tekton.dev/task': task.name } : {}) },
    { ...own, ...annotations },
  );
}

/** Every run says which release ran it. */
export function released(taskRun: TaskRun, release: string): TaskRun {
  const { labels, annotations } = taskRun.metadata;
  return withMetadata(taskRun, labels ?? {}, { ...annotations, 'pipeline.tekton.dev/release': release });
}

type Texts = Readonly<Record<string, string>>;

function withMetadata(taskRun: TaskRun, labels: Texts, annotations: Texts): TaskRun {
  return {
    ...taskRun,
    metadata: {
      ...taskRun.metadata,
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
  };
}
