import type { Kind } from '@tektite/schema';
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

/** Everything that Tekton Pipelines serves. Of a kind with versions, the first is the one that is stored. */
export const allKinds: readonly Kind[] = [
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
