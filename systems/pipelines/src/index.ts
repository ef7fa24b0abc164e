/** Tekton Pipelines on Tektite's controller runtime. */

// The system
export { type PipelinesOptions, pipelinesSystem } from './system.ts';

// Settings
export { defaultFeatureFlags, type FeatureFlags, featureFlags, flagsForProvenance } from './config/feature-flags.ts';

// Kinds
export type * from './kinds/param.ts';
export type { TaskRun } from './kinds/task-run.ts';
export type * from './kinds/task-run-spec.ts';
export type * from './kinds/task-spec.ts';
export type * from './kinds/pipeline-spec.ts';
export type { PipelineRun } from './kinds/pipeline-run.ts';
export { PipelineRun as PipelineRunKind, TaskRun as TaskRunKind } from './kinds/kinds.ts';
export type * from './kinds/pipeline-run-spec.ts';
export type * from './kinds/custom-run.ts';
export type * from './kinds/custom-run-spec.ts';
export type * from './kinds/run-status.ts';
export type * from './kinds/step-action-spec.ts';
export type * from './kinds/workspace.ts';

// The order of a Pipeline
export { buildGraph, type Graph, GraphError, graphErrors, isGraphError } from './pipeline/graph.ts';
export { type ResumedRun, resumeRun } from './controllers/pipeline-run/decide/resume-run.ts';

// Custom tasks
export { type CustomTask, type CustomTaskContext, customTaskController } from './controllers/custom-run/controller.ts';
export type { CustomTaskProgress } from './controllers/custom-run/decide.ts';

// The Pod of a TaskRun
export { buildPod, type PodCredentials, type PodOptions } from './pod/build-pod.ts';
export { CredentialError, credentialErrors, podCredentials } from './pod/credentials.ts';
export type { PodImages } from './pod/pod-images.ts';

// Traces
export type { SendTraces, TraceTarget } from './tracing/trace-target.ts';

// The program in every step
export { entrypointMissing, entrypointProgram } from './entrypoint/entrypoint-program.ts';

// Variables
export { paramReplacements } from './substitution/param-replacements.ts';
export { replaceInTask } from './substitution/replace-in-task.ts';
export { type Replacements, ReplacementSet, stringReplacements } from './substitution/replacements.ts';

// Workspaces
export { applyWorkspaces } from './workspace/apply-workspaces.ts';
export { workspaceVolumes } from './workspace/workspace-volumes.ts';

// Remote resolution
export {
  fetchPipeline,
  fetchStepAction,
  fetchTask,
  type RemoteObject,
  type RemotePlace,
} from './resolution/fetch-remote.ts';
export {
  isRemoteFailure,
  isRemotePending,
  RemoteFailure,
  remoteFailures,
  RemotePending,
} from './resolution/remote-failure.ts';
export { resolutionRequestName } from './resolution/request-name.ts';
export type { RemoteReference, RequestPlace } from './resolution/request-remote.ts';
export type { VerificationResult } from './conditions/verification-result.ts';

// Signatures
export { signatureAnnotation } from './trust/checksum.ts';
export { signable } from './resolution/signable.ts';
export {
  isSignatureError,
  SignatureError,
  signatureErrors,
  signObject,
  type SignOptions,
  verifyObject,
} from './trust/sign-object.ts';
