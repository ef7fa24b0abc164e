import { type AdmissionWebhook, defaultingWebhook, validatingWebhook } from '@tektite/controller/webhook';
import type { KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { CustomRun as CustomRunObject } from '../kinds/custom-run.ts';
import {
  CustomRun,
  Pipeline,
  type PipelineObject,
  PipelineRun,
  PipelineRunV1beta1,
  PipelineV1beta1,
  StepAction,
  type StepActionObject,
  StepActionV1alpha1,
  Task,
  type TaskObject,
  TaskRun,
  TaskRunV1beta1,
  TaskV1beta1,
} from '../kinds/kinds.ts';
import type { PipelineRun as PipelineRunObject } from '../kinds/pipeline-run.ts';
import { ResolutionRequest, ResolutionRequestV1alpha1 } from '../kinds/resolution-request.ts';
import type { TaskRun as TaskRunObject } from '../kinds/task-run.ts';
import { VerificationPolicy, type VerificationPolicyObject } from '../kinds/verification-policy.ts';
import { defaultCustomRun, defaultPipelineSpec } from '../rules/defaults/default-pipeline.ts';
import { defaultPipelineRun } from '../rules/defaults/default-pipeline-run.ts';
import { defaultStepActionSpec, defaultTaskSpec } from '../rules/defaults/default-task.ts';
import { defaultTaskRun } from '../rules/defaults/default-task-run.ts';
import type { CurrentSettings } from '../config/current-settings.ts';
import { defaultingRule, type KindChecks, validatingRule } from './kind-rules.ts';
import { validateCustomRun } from '../rules/validation/validate-custom-run.ts';
import { validatePipeline } from '../rules/validation/validate-pipeline.ts';
import { validatePipelineRun } from '../rules/validation/validate-pipeline-run.ts';
import { validateResolutionRequest } from '../rules/validation/validate-resolution-request.ts';
import { validateStepAction } from '../rules/validation/validate-step-action.ts';
import { validateTask } from '../rules/validation/validate-task.ts';
import { validateTaskRun } from '../rules/validation/validate-task-run.ts';
import { validateVerificationPolicy } from '../rules/validation/validate-verification-policy.ts';

const taskChecks = {
  applyDefaults: (task, rules) => ({ ...task, spec: defaultTaskSpec(task.spec, rules) }),
  validate: (task, _, rules) => validateTask(task, rules),
} satisfies Omit<KindChecks<TaskObject>, 'kind'>;

const taskRunChecks = { applyDefaults: defaultTaskRun, validate: validateTaskRun } satisfies Omit<
  KindChecks<TaskRunObject>,
  'kind'
>;

const stepActionChecks = {
  applyDefaults: (action) => ({ ...action, spec: defaultStepActionSpec(action.spec) }),
  validate: (action, _, rules) => validateStepAction(action, rules),
} satisfies Omit<KindChecks<StepActionObject>, 'kind'>;

const pipelineChecks = {
  applyDefaults: (pipeline, rules) => ({ ...pipeline, spec: defaultPipelineSpec(pipeline.spec, rules) }),
  validate: (pipeline, _, rules) => validatePipeline(pipeline, rules),
} satisfies Omit<KindChecks<PipelineObject>, 'kind'>;

const pipelineRunChecks = { applyDefaults: defaultPipelineRun, validate: validatePipelineRun } satisfies Omit<
  KindChecks<PipelineRunObject>,
  'kind'
>;

const customRunChecks = {
  applyDefaults: defaultCustomRun,
  validate: (run) => validateCustomRun(run),
} satisfies Omit<KindChecks<CustomRunObject>, 'kind'>;

const requestChecks = {
  applyDefaults: (request) => request,
  validate: (request) => validateResolutionRequest(request),
} satisfies Omit<KindChecks<KubeObject>, 'kind'>;

const policyChecks = {
  applyDefaults: (policy) => policy,
  validate: (policy) => validateVerificationPolicy(policy),
} satisfies Omit<KindChecks<VerificationPolicyObject>, 'kind'>;

const namespaceSelector = { matchExpressions: [{ key: 'webhooks.knative.dev/exclude', operator: 'DoesNotExist' }] };

/**
 * The webhooks of all kinds and versions, under upstream's names and paths.
 *
 * @example pipelinesWebhooks({ flags: () => store.get(featureFlags), defaults: () => store.get(configDefaults) })
 */
export function pipelinesWebhooks(settings: CurrentSettings): readonly AdmissionWebhook[] {
  const rules = allChecks();
  return [
    defaultingWebhook({
      name: 'webhook.pipeline.tekton.dev',
      path: '/defaulting',
      namespaceSelector,
      rules: rules.map((checks) => defaultingRule(checks, settings)),
    }),
    validatingWebhook({
      name: 'validation.webhook.pipeline.tekton.dev',
      path: '/resource-validation',
      namespaceSelector,
      rules: rules.map((checks) => validatingRule(checks, settings)),
    }),
  ];
}

function allChecks(): readonly KindChecks<KubeObject>[] {
  const of = <T extends KubeObject>(checks: Omit<KindChecks<T>, 'kind'>, ...kinds: readonly Kind[]) =>
    kinds.map((kind) => ({ ...checks, kind }) as KindChecks<KubeObject>);
  return [
    ...of(taskChecks, Task, TaskV1beta1),
    ...of(taskRunChecks, TaskRun, TaskRunV1beta1),
    ...of(stepActionChecks, StepAction, StepActionV1alpha1),
    ...of(pipelineChecks, Pipeline, PipelineV1beta1),
    ...of(pipelineRunChecks, PipelineRun, PipelineRunV1beta1),
    ...of(customRunChecks, CustomRun),
    ...of(requestChecks, ResolutionRequest, ResolutionRequestV1alpha1),
    ...of(policyChecks, VerificationPolicy),
  ];
}
