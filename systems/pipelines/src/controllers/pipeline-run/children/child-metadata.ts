import { controllerReference } from '@tektite/meta';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineTaskMetadata, PipelineTask } from '../../../kinds/pipeline-spec.ts';
import type { TaskState } from '../decide/task-state.ts';

type Texts = Readonly<Record<string, string>>;

/** Only Chains says that it signed something, and only of what it signed. */
const reservedAnnotation = 'chains.tekton.dev/';

/** The labels of a child: the run's, and what it is the child of. */
export function childLabels({ metadata }: PipelineRun, { name, isFinal }: TaskState): Texts {
  return {
    ...metadata.labels,
    'tekton.dev/pipelineRun': metadata.name ?? '',
    'tekton.dev/pipelineRunUID': metadata.uid ?? '',
    'tekton.dev/pipelineTask': name,
    'tekton.dev/memberOf': isFinal ? 'finally' : 'tasks',
  };
}

export function childAnnotations({ metadata }: PipelineRun): Texts {
  return Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.includes(reservedAnnotation)),
  );
}

/** The name and owner of a child. */
export function childIdentity(run: PipelineRun, name: string) {
  return {
    name,
    namespace: run.metadata.namespace ?? '',
    ownerReferences: [controllerReference(run)],
  };
}

/** The labels and annotations of a TaskRun: what the run says of its task wins, then the run's, then those of the Task within the Pipeline. */
export function taskRunTexts(
  run: PipelineRun,
  state: TaskState,
  said: PipelineTaskMetadata | undefined,
): { readonly labels: Texts; readonly annotations: Texts } {
  const { taskSpec }: PipelineTask = state.task;
  return {
    labels: { ...taskSpec?.metadata?.labels, ...childLabels(run, state), ...said?.labels },
    annotations: { ...taskSpec?.metadata?.annotations, ...childAnnotations(run), ...said?.annotations },
  };
}
