import { stringifyJson } from '@tektite/meta';
import type { KubeObject } from '@tektite/meta';
import { standardDefaults } from '../config/config-defaults.ts';
import { defaultFeatureFlags } from '../config/feature-flags.ts';
import type { PipelineSpec } from '../kinds/pipeline-spec.ts';
import type { TaskSpec } from '../kinds/task-spec.ts';
import { decodeRemote } from './decode-remote.ts';
import { defaultPipelineSpec } from '../rules/defaults/default-pipeline.ts';
import { defaultTaskSpec } from '../rules/defaults/default-task.ts';
import type { Rules } from '../rules/rules.ts';
import { SignatureError } from '../trust/sign-object.ts';

/**
 * A Task or Pipeline as the controller has it when it verifies it: with types for parameters and the like, which it fills in
 * before. To be signed, an object has to be in this form, and to be published, too. Throws a `SignatureError` for everything else
 * than a Task or Pipeline, and a `RemoteFailure` for one that cannot be read.
 */
export function signable(object: KubeObject): KubeObject {
  if (object.kind !== 'Task' && object.kind !== 'Pipeline')
    throw new SignatureError(`only Tasks and Pipelines are signed, and this is a ${object.kind}`);
  const decoded = decodeRemote(Buffer.from(stringifyJson(object))) as KubeObject & { readonly spec: never };
  const version = decoded.apiVersion.slice('tekton.dev/'.length) as Rules['version'];
  const rules: Rules = { flags: defaultFeatureFlags, defaults: standardDefaults, version, isCreate: false };
  const spec =
    decoded.kind === 'Task'
      ? defaultTaskSpec(decoded.spec as TaskSpec, rules)
      : defaultPipelineSpec(decoded.spec as PipelineSpec, rules);
  return { ...decoded, spec } as KubeObject;
}
