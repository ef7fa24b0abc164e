import { parsedTextDecoder } from '@tektite/go';
import { normalizeTime } from '@tektite/meta';
import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { FeatureFlags } from './feature-flags.ts';
import { type ParamType, ParamValue } from './param.ts';

/** Knative's time: a plain text in schemas, and not printed when it is zero. */
const volatileTime = go.custom<string>('apis.VolatileTime', 'string', () => ({
  ...parsedTextDecoder(normalizeTime),
  isEmpty: (value) => value === null,
}));

const conditionFields = {
  type: go.string('apis.ConditionType').required(),
  status: go.string<'True' | 'False' | 'Unknown' | (string & {})>('v1.ConditionStatus').required(),
  severity: go.string('apis.ConditionSeverity'),
  lastTransitionTime: volatileTime,
  reason: go.string(),
  message: go.string(),
};
/** A condition of a run. `Succeeded` is the outcome; `TrustedResourcesVerified` whether the definition was signed. */
export interface RunCondition extends StructValue<typeof conditionFields> {}
const RunCondition: Struct<RunCondition> = go.struct('apis.Condition', conditionFields);

/** The fields that every status has: those of Knative. */
export const statusFields = go.embed('Status', {
  observedGeneration: go.int64(),
  conditions: go.list(RunCondition).named('v1.Conditions'),
  annotations: go.map(go.string()),
});

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
