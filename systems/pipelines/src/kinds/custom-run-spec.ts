import { go, knativeStatusFields, type Struct, type StructValue } from '@tektite/schema/struct';
import { Params } from './param.ts';
import { PipelineTaskMetadata, typeMetaFields } from './pipeline-spec.ts';
import { TaskRef } from './resolver-reference.ts';
import { WorkspaceBinding } from './workspace.ts';

const embeddedFields = {
  ...typeMetaFields,
  metadata: PipelineTaskMetadata.always(),
  spec: go.rawExtension<Readonly<Record<string, unknown>> | null>().always(),
};
export interface EmbeddedCustomRunSpec extends StructValue<typeof embeddedFields> {}
const EmbeddedCustomRunSpec: Struct<EmbeddedCustomRunSpec> = go.struct('EmbeddedCustomRunSpec', embeddedFields);

const specFields = {
  customRef: go.pointer(TaskRef),
  customSpec: go.pointer(EmbeddedCustomRunSpec),
  params: Params,
  status: go.string<'RunCancelled' | (string & {})>('CustomRunSpecStatus'),
  statusMessage: go.string('CustomRunSpecStatusMessage'),
  retries: go.int(),
  serviceAccountName: go.string().always(),
  timeout: go.pointer(go.duration()),
  workspaces: go.list(WorkspaceBinding),
};
export interface CustomRunSpec extends StructValue<typeof specFields> {}
export const CustomRunSpec: Struct<CustomRunSpec> = go.struct('CustomRunSpec', specFields);

const resultFields = { name: go.string().required(), value: go.string().required() };
export interface CustomRunResult extends StructValue<typeof resultFields> {}
const CustomRunResult: Struct<CustomRunResult> = go.struct('CustomRunResult', resultFields);

const runStatusFields = {
  ...knativeStatusFields,
  ...go.embed('CustomRunStatusFields', {
    startTime: go.pointer(go.time()),
    completionTime: go.pointer(go.time()),
    results: go.list(CustomRunResult),
    retriesStatus: go.list(go.lazy<CustomRunStatus>(() => CustomRunStatus)).schemaless(),
    extraFields: go.rawExtension().always().schemaless(),
  }),
};
export interface CustomRunStatus extends StructValue<typeof runStatusFields> {}
export const CustomRunStatus: Struct<CustomRunStatus> = go.struct('CustomRunStatus', runStatusFields);
