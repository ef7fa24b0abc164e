import type { StructKind } from '@tektite/schema/struct';
import {
  CustomRun,
  Pipeline,
  PipelineRun,
  PipelineRunV1beta1,
  PipelineV1beta1,
  StepAction,
  StepActionV1alpha1,
  Task,
  TaskRun,
  TaskRunV1beta1,
  TaskV1beta1,
} from './kinds.ts';
import { ResolutionRequest, ResolutionRequestV1alpha1 } from './resolution-request.ts';
import { VerificationPolicy } from './verification-policy.ts';

/** The kinds that Tekton Pipelines serves. Of a kind with versions, the first is the stored one. */
export const allKinds: readonly StructKind[] = [
  Task,
  TaskV1beta1,
  TaskRun,
  TaskRunV1beta1,
  StepAction,
  StepActionV1alpha1,
  Pipeline,
  PipelineV1beta1,
  PipelineRun,
  PipelineRunV1beta1,
  CustomRun,
  ResolutionRequest,
  ResolutionRequestV1alpha1,
  VerificationPolicy,
];

/** The kind with that name in that version, if there is one. */
export function findKind(version: string, name: string): StructKind | undefined {
  return allKinds.find((kind) => kind.version === version && kind.kind === name);
}
