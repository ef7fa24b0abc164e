import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { ParamSpecs, Params, type ParamType, ParamValue } from './param.ts';
import { PipelineDeclaredResource, PipelineTaskResources } from './pipeline-resource.ts';
import { PipelineRef, TaskRef } from './resolver-reference.ts';
import { taskSpecFields } from './task-spec.ts';
import { WhenExpressions } from './when-expression.ts';

const workspaceFields = { name: go.string().required(), description: go.string(), optional: go.bool() };
export interface PipelineWorkspaceDeclaration extends StructValue<typeof workspaceFields> {}
const PipelineWorkspaceDeclaration: Struct<PipelineWorkspaceDeclaration> = go.struct(
  'PipelineWorkspaceDeclaration',
  workspaceFields,
);

const resultFields = {
  name: go.string().required(),
  type: go.string<ParamType>('ResultsType'),
  description: go.string().always(),
  value: ParamValue.required().schemaless(),
};
export interface PipelineResult extends StructValue<typeof resultFields> {}
const PipelineResult: Struct<PipelineResult> = go.struct('PipelineResult', resultFields);

const taskWorkspaceFields = {
  name: go.string().required(),
  /** Default: the one with the same name. */
  workspace: go.string(),
  subPath: go.string(),
};
/** The workspace of the Pipeline that a task gets for one of its workspaces. */
export interface PipelineTaskWorkspace extends StructValue<typeof taskWorkspaceFields> {}
const PipelineTaskWorkspace: Struct<PipelineTaskWorkspace> = go.struct(
  'WorkspacePipelineTaskBinding',
  taskWorkspaceFields,
);

const metadataFields = { labels: go.map(go.string()), annotations: go.map(go.string()) };
export interface PipelineTaskMetadata extends StructValue<typeof metadataFields> {}
export const PipelineTaskMetadata: Struct<PipelineTaskMetadata> = go.struct('PipelineTaskMetadata', metadataFields);

export const typeMetaFields = go.embed('TypeMeta', { apiVersion: go.string(), kind: go.string() });

const embeddedTaskFields = {
  ...typeMetaFields,
  spec: go.rawExtension<Readonly<Record<string, unknown>> | null>().always(),
  metadata: PipelineTaskMetadata.always(),
  ...go.embed('TaskSpec', taskSpecFields),
};
/** A Task within a Pipeline; with `apiVersion` and `kind`, the spec of a custom task. */
export interface EmbeddedTask extends StructValue<typeof embeddedTaskFields> {}
const EmbeddedTask: Struct<EmbeddedTask> = go.struct('EmbeddedTask', embeddedTaskFields);

const includeFields = { name: go.string(), params: Params };
export interface MatrixInclude extends StructValue<typeof includeFields> {}
const MatrixInclude: Struct<MatrixInclude> = go.struct('IncludeParams', includeFields);

const matrixFields = { params: Params, include: go.list(MatrixInclude).named('IncludeParamsList') };
/** One task that becomes many: one run for each combination of the values. */
export interface Matrix extends StructValue<typeof matrixFields> {}
const Matrix: Struct<Matrix> = go.struct('Matrix', matrixFields);

const pipelineTaskFields = {
  name: go.string().validated(),
  displayName: go.string(),
  description: go.string(),
  taskRef: go.pointer(TaskRef),
  taskSpec: go.pointer(EmbeddedTask).schemaless(),
  when: WhenExpressions,
  retries: go.int(),
  runAfter: go.list(go.string()),
  resources: go.pointer(PipelineTaskResources).legacy('v1beta1'),
  params: Params,
  matrix: go.pointer(Matrix),
  workspaces: go.list(PipelineTaskWorkspace),
  timeout: go.pointer(go.duration()),
  pipelineRef: go.pointer(PipelineRef),
  pipelineSpec: go.pointer(go.lazy<PipelineSpec>(() => PipelineSpec)).schemaless(),
  onError: go.string<'continue' | 'stopAndFail' | (string & {})>('PipelineTaskOnErrorType'),
};
/** One task of a Pipeline: exactly one of the references and specs. */
export interface PipelineTask extends StructValue<typeof pipelineTaskFields> {}
const PipelineTask: Struct<PipelineTask> = go.struct('PipelineTask', pipelineTaskFields);

const pipelineSpecFields = {
  displayName: go.string(),
  description: go.string(),
  resources: go.list(PipelineDeclaredResource).legacy('v1beta1'),
  tasks: go.list(PipelineTask),
  params: ParamSpecs,
  workspaces: go.list(PipelineWorkspaceDeclaration),
  results: go.list(PipelineResult),
  /** Tasks that run when all others are done, whatever their outcome. */
  finally: go.list(PipelineTask),
};
/** The definition of a Pipeline: tasks, in an order that follows from what they need. */
export interface PipelineSpec extends StructValue<typeof pipelineSpecFields> {}
export const PipelineSpec: Struct<PipelineSpec> = go.struct('PipelineSpec', pipelineSpecFields);
