import { type AdmissionWebhook, defaultingWebhook, validatingWebhook } from '@tektite/controller';
import {
  StepAction,
  type StepActionObject,
  StepActionV1alpha1,
  Task,
  type TaskObject,
  TaskRun,
  TaskRunV1beta1,
  TaskV1beta1,
} from '../kinds/kinds.ts';
import type { TaskRun as TaskRunObject } from '../kinds/task-run.ts';
import { defaultStepActionSpec, defaultTaskSpec } from './default-task.ts';
import { defaultTaskRun } from './default-task-run.ts';
import { defaultingRule, type KindChecks, validatingRule, type WebhookSettings } from './kind-rules.ts';
import { validateStepAction } from './validate-step-action.ts';
import { validateTask } from './validate-task.ts';
import { validateTaskRun } from './validate-task-run.ts';

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

const namespaceSelector = { matchExpressions: [{ key: 'webhooks.knative.dev/exclude', operator: 'DoesNotExist' }] };

/**
 * What upstream's webhook says to Tasks, TaskRuns and StepActions of all versions, under its names and at its paths.
 *
 * @example
 * pipelinesWebhooks({ flags: () => store.get(featureFlags), defaults: () => store.get(configDefaults) })
 */
export function pipelinesWebhooks(settings: WebhookSettings): readonly AdmissionWebhook[] {
  const tasks = [Task, TaskV1beta1].map((kind) => ({ ...taskChecks, kind }));
  const runs = [TaskRun, TaskRunV1beta1].map((kind) => ({ ...taskRunChecks, kind }));
  const actions = [StepAction, StepActionV1alpha1].map((kind) => ({ ...stepActionChecks, kind }));
  return [
    defaultingWebhook({
      name: 'webhook.pipeline.tekton.dev',
      path: '/defaulting',
      namespaceSelector,
      rules: [
        ...tasks.map((checks) => defaultingRule(checks, settings)),
        ...runs.map((checks) => defaultingRule(checks, settings)),
        ...actions.map((checks) => defaultingRule(checks, settings)),
      ],
    }),
    validatingWebhook({
      name: 'validation.webhook.pipeline.tekton.dev',
      path: '/resource-validation',
      namespaceSelector,
      rules: [
        ...tasks.map((checks) => validatingRule(checks, settings)),
        ...runs.map((checks) => validatingRule(checks, settings)),
        ...actions.map((checks) => validatingRule(checks, settings)),
      ],
    }),
  ];
}
