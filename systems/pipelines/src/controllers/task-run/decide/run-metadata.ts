import type { TaskRun } from '../../../kinds/task-run.ts';
import type { ResolvedTask } from './observation.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** The run with the labels and annotations of its Task. Those of the run win. */
export function withTaskMetadata(taskRun: TaskRun, task: ResolvedTask): TaskRun {
  const { labels = {}, annotations = {} } = taskRun.metadata;
  const { [lastApplied]: _, ...own } = task.annotations;
  return withMetadata(
    taskRun,
    { ...task.labels, ...labels, ...(taskRun.spec.taskRef ? { 'tekton.dev/task': task.name } : {}) },
    { ...own, ...annotations },
  );
}

/** The run with the annotation that names the release which ran it. */
export function withRelease(taskRun: TaskRun, release: string): TaskRun {
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
