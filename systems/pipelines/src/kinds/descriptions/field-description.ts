import { containerDescriptions, type FieldDescriptions } from './container-descriptions.ts';
import { pipelineDescriptions } from './pipeline-descriptions.ts';
import { taskDescriptions } from './task-descriptions.ts';

const descriptions: Readonly<Record<string, FieldDescriptions>> = {
  ...containerDescriptions,
  ...taskDescriptions,
  ...pipelineDescriptions,
};

/** Descriptions of kinds, for `kubectl explain`. */
export const kindDescriptions: Readonly<Record<string, string>> = {
  Task: 'A list of steps that run one after the other in one Pod.',
  TaskRun: 'One execution of a Task.',
  StepAction: 'A step that Tasks can refer to.',
  Pipeline: 'A graph of tasks, ordered by the results that they use and by runAfter.',
  PipelineRun: 'One execution of a Pipeline.',
  CustomRun: 'One execution of a custom task, which a controller of its own carries out.',
  ResolutionRequest: 'A request to fetch a Task, Pipeline or StepAction from elsewhere.',
  VerificationPolicy: 'The keys that must have signed Tasks and Pipelines of some sources.',
};

/** The description of a field of one of Tekton's structs. Versions share them. */
export function fieldDescription(struct: string, field: string): string | undefined {
  const fields = Object.hasOwn(descriptions, struct) ? descriptions[struct] : undefined;
  return fields && Object.hasOwn(fields, field) ? fields[field] : undefined;
}
