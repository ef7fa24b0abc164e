import { conversion, type ConversionWebhook, conversionWebhook, spoke } from '@tektite/controller/webhook';
import type { KubeObject } from '@tektite/meta';
import type { StructKind } from '@tektite/schema/struct';
import {
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
} from '../../kinds/kinds.ts';
import { ResolutionRequest, ResolutionRequestV1alpha1 } from '../../kinds/resolution-request.ts';
import { decodeObject } from '../decode-object.ts';
import { defaultPipelineSpec } from '../defaults/default-pipeline.ts';
import { defaultPipelineRun } from '../defaults/default-pipeline-run.ts';
import { defaultStepActionSpec, defaultTaskSpec } from '../defaults/default-task.ts';
import { defaultTaskRun } from '../defaults/default-task-run.ts';
import type { CurrentSettings } from '../../config/current-settings.ts';
import type { Rules } from '../rules.ts';
import { Annotations } from './annotations.ts';
import { pipelineFromV1, pipelineToV1 } from './convert-pipeline.ts';
import { pipelineRunFromV1, pipelineRunToV1 } from './convert-pipeline-run.ts';
import { resolutionRequestFromV1beta1, resolutionRequestToV1beta1 } from './convert-resolution-request.ts';
import { taskFromV1, taskToV1 } from './convert-task.ts';
import { taskRunFromV1, taskRunToV1 } from './convert-task-run.ts';
import type { Json } from './json.ts';

type Convert = (object: Json, annotations: Annotations) => Json;
type ApplyDefaults = (object: never, rules: Rules) => object;

/** One direction: reads the one version, converts, prints the other with its defaults. */
function direction(
  from: StructKind,
  to: StructKind,
  convert: Convert,
  applyDefaults: ApplyDefaults,
  settings: CurrentSettings,
) {
  return (object: KubeObject): never => {
    const annotations = new Annotations(object.metadata);
    const read = decodeObject<KubeObject>(from, object, false) as unknown as Json;
    const converted = convert(read, annotations) as unknown as KubeObject;
    const printed = decodeObject<KubeObject>(to, { ...converted, metadata: annotations.result() }, false);
    return applyDefaults(printed as never, rulesOf(to, settings)) as never;
  };
}

function rulesOf({ version }: StructKind, { flags, defaults }: CurrentSettings): Rules {
  return { flags: flags(), defaults: defaults(), version: version as Rules['version'], isCreate: false };
}

const defaultTask: ApplyDefaults = (task: { readonly spec: never }, rules) => ({
  ...(task as object),
  spec: defaultTaskSpec(task.spec, rules),
});
const defaultPipeline: ApplyDefaults = (pipeline: { readonly spec: never }, rules) => ({
  ...(pipeline as object),
  spec: defaultPipelineSpec(pipeline.spec, rules),
});
const defaultStepAction: ApplyDefaults = (action: { readonly spec: never }) => ({
  ...(action as object),
  spec: defaultStepActionSpec(action.spec),
});
const noDefaults: ApplyDefaults = (object: object) => object;
const same: Convert = (object) => object;

/** All kinds that have more versions than one, in the versions that are not stored, by upstream's rules and with its losses. */
export function pipelinesConversion(settings: CurrentSettings): ConversionWebhook {
  const pair = (hub: StructKind, other: StructKind, toHub: Convert, fromHub: Convert, applyDefaults: ApplyDefaults) =>
    conversion({
      hub,
      spokes: [
        spoke(other, hub, {
          toHub: direction(other, hub, toHub, applyDefaults, settings),
          fromHub: direction(hub, other, fromHub, applyDefaults, settings),
        }),
      ],
    });
  return conversionWebhook({
    path: '/resource-conversion',
    rules: [
      pair(Task, TaskV1beta1, taskToV1, taskFromV1, defaultTask),
      pair(TaskRun, TaskRunV1beta1, taskRunToV1, taskRunFromV1, defaultTaskRun as ApplyDefaults),
      pair(Pipeline, PipelineV1beta1, pipelineToV1, pipelineFromV1, defaultPipeline),
      pair(PipelineRun, PipelineRunV1beta1, pipelineRunToV1, pipelineRunFromV1, defaultPipelineRun as ApplyDefaults),
      pair(StepAction, StepActionV1alpha1, same, same, defaultStepAction),
      pair(
        ResolutionRequest,
        ResolutionRequestV1alpha1,
        resolutionRequestToV1beta1,
        resolutionRequestFromV1beta1,
        noDefaults,
      ),
    ],
  });
}
