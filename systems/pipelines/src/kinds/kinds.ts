import type { KubeObject } from '@tektite/meta';
import { defineKind, type JsonSchema, type Kind, s } from '@tektite/schema';
import type { CustomRun as CustomRunObject } from './custom-run.ts';
import { kindDescriptions } from './descriptions/field-description.ts';
import type { PipelineRun as PipelineRunObject } from './pipeline-run.ts';
import type { PipelineSpec } from './pipeline-spec.ts';
import { schemaOfStruct, schemaWithout } from './schema-of-struct.ts';
import type { StepActionSpec } from './step-action-spec.ts';
import type { TaskRun as TaskRunObject } from './task-run.ts';
import type { TaskSpec } from './task-spec.ts';
import './v1-structs.ts';
import './v1beta1-structs.ts';
import './pipeline-structs.ts';

const group = 'tekton.dev';
const categories = ['tekton', 'tekton-pipelines'];

const succeeded = (field: string) => `.status.conditions[?(@.type=="Succeeded")].${field}`;
const runColumns = [
  { name: 'Succeeded', type: 'string', jsonPath: succeeded('status') },
  { name: 'Reason', type: 'string', jsonPath: succeeded('reason') },
  { name: 'StartTime', type: 'date', jsonPath: '.status.startTime' },
  { name: 'CompletionTime', type: 'date', jsonPath: '.status.completionTime' },
] as const;

export interface TaskObject extends KubeObject {
  readonly spec: TaskSpec;
}

export interface PipelineObject extends KubeObject {
  readonly spec: PipelineSpec;
}

export interface StepActionObject extends KubeObject {
  readonly spec: StepActionSpec;
}

const field = (schema: JsonSchema, description: string) => s.raw<unknown>({ ...schema, description }).optional();
const specDescription = 'Desired state.';
const statusDescription = 'Observed state, written by the controller.';

/** Upstream's definition of CustomRuns is older than the others: it does not know the newest kind of volumes. */
const customRunSpec = schemaWithout(schemaOfStruct('tekton/v1beta1.CustomRunSpec'), [
  'workspaces',
  'projected',
  'sources',
  'podCertificate',
]);

function describedKind(kind: string): { readonly description?: string } {
  const description = kindDescriptions[kind];
  return description === undefined ? {} : { description };
}

/** A kind that others refer to. It has no status, and upstream serves the subresource nevertheless. */
function definitionKind<T extends KubeObject>(kind: string, version: string): Kind<T> {
  const fields = { spec: field(schemaOfStruct(`tekton/${version}.${kind}Spec`), 'Definition.') };
  const defined = defineKind({ group, version, kind, categories, fields, ...describedKind(kind) });
  return { ...defined, subresources: { status: {} } } as unknown as Kind<T>;
}

function runKind<T extends KubeObject>(kind: string, version: string, shortNames: readonly string[] = []): Kind<T> {
  return defineKind({
    group,
    version,
    kind,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    categories,
    columns: runColumns,
    ...describedKind(kind),
    fields: {
      spec: field(
        kind === 'CustomRun' ? customRunSpec : schemaOfStruct(`tekton/${version}.${kind}Spec`),
        specDescription,
      ),
      status: field(schemaOfStruct(`tekton/${version}.${kind}Status`), statusDescription),
    },
  }) as unknown as Kind<T>;
}

/** `tekton.dev/v1`: what is stored. */
export const Task = definitionKind<TaskObject>('Task', 'v1');
export const TaskV1beta1 = definitionKind<KubeObject>('Task', 'v1beta1');

export const TaskRun = runKind<TaskRunObject>('TaskRun', 'v1', ['tr', 'trs']);
export const TaskRunV1beta1 = runKind<KubeObject>('TaskRun', 'v1beta1', ['tr', 'trs']);

/** `tekton.dev/v1beta1`: what is stored. */
export const StepAction = definitionKind<StepActionObject>('StepAction', 'v1beta1');
export const StepActionV1alpha1 = definitionKind<StepActionObject>('StepAction', 'v1alpha1');

/** `tekton.dev/v1`: what is stored. */
export const Pipeline = definitionKind<PipelineObject>('Pipeline', 'v1');
export const PipelineV1beta1 = definitionKind<KubeObject>('Pipeline', 'v1beta1');

export const PipelineRun = runKind<PipelineRunObject>('PipelineRun', 'v1', ['pr', 'prs']);
export const PipelineRunV1beta1 = runKind<KubeObject>('PipelineRun', 'v1beta1', ['pr', 'prs']);

/** There is only `tekton.dev/v1beta1`. */
export const CustomRun = runKind<CustomRunObject>('CustomRun', 'v1beta1');
