import { go, type StatusCondition, type Struct, type StructValue } from '@tektite/schema/struct';
import { FeatureFlags } from './feature-flags.ts';
import { type ParamType, ParamValue } from './param.ts';

/** A condition of a run. `Succeeded` is the outcome; `TrustedResourcesVerified` whether the definition was signed. */
export interface RunCondition extends StatusCondition {}

const resultFields = {
  name: go.string().required(),
  type: go.string<ParamType>('ResultsType'),
  value: ParamValue.required().schemaless(),
};
/** A result of a TaskRun or of a step. */
export interface RunResult extends StructValue<typeof resultFields> {}
export const RunResult: Struct<RunResult> = go.struct('TaskRunResult', resultFields);

const refSourceFields = { uri: go.string(), digest: go.map(go.string()), entryPoint: go.string() };
export interface RefSource extends StructValue<typeof refSourceFields> {}
export const RefSource: Struct<RefSource> = go.struct('RefSource', refSourceFields);

const provenanceFields = {
  configSource: go.pointer(go.struct('ConfigSource', refSourceFields)).legacy('v1beta1'),
  refSource: go.pointer(RefSource),
  featureFlags: go.pointer(FeatureFlags),
};
/** The source of the definition that runs, and the settings of the controller. */
export interface Provenance extends StructValue<typeof provenanceFields> {}
export const Provenance: Struct<Provenance> = go.struct('Provenance', provenanceFields);

const artifactValueFields = { digest: go.map(go.string(), 'Algorithm'), uri: go.string() };
export interface ArtifactValue extends StructValue<typeof artifactValueFields> {}
const ArtifactValue: Struct<ArtifactValue> = go.struct('ArtifactValue', artifactValueFields);

const artifactFields = { name: go.string(), values: go.list(ArtifactValue), buildOutput: go.bool() };
export interface Artifact extends StructValue<typeof artifactFields> {}
export const Artifact: Struct<Artifact> = go.struct('Artifact', artifactFields);

const artifactsFields = { inputs: go.list(Artifact), outputs: go.list(Artifact) };
export interface Artifacts extends StructValue<typeof artifactsFields> {}
export const Artifacts: Struct<Artifacts> = go.struct('Artifacts', artifactsFields);
