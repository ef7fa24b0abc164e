import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { Params } from './param.ts';

const resolverFields = go.embed('ResolverRef', { resolver: go.string('ResolverName'), params: Params });
/** Something that is fetched from elsewhere. */
export interface ResolverReference extends StructValue<typeof resolverFields> {}

const taskRefFields = {
  name: go.string(),
  kind: go.string('TaskKind'),
  /** With a kind: the run of a custom task. */
  apiVersion: go.string(),
  bundle: go.string().legacy('v1beta1'),
  ...resolverFields,
};
export interface TaskRef extends StructValue<typeof taskRefFields> {}
export const TaskRef: Struct<TaskRef> = go.struct('TaskRef', taskRefFields);

const stepActionRefFields = { name: go.string(), ...resolverFields };
export interface StepActionRef extends StructValue<typeof stepActionRefFields> {}
export const StepActionRef: Struct<StepActionRef> = go.struct('Ref', stepActionRefFields);

const pipelineRefFields = {
  name: go.string(),
  apiVersion: go.string(),
  bundle: go.string().legacy('v1beta1'),
  ...resolverFields,
};
export interface PipelineRef extends StructValue<typeof pipelineRefFields> {}
export const PipelineRef: Struct<PipelineRef> = go.struct('PipelineRef', pipelineRefFields);
