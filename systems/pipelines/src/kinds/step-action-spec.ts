import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { ParamSpec } from './param.ts';
import { StepResult } from './task-spec.ts';

const fields = {
  description: go.string(),
  image: go.string(),
  command: go.list(go.string()),
  args: go
    .list(go.string())
    .named('Args')
    .in({ v1alpha1: go.list(go.string()) }),
  env: go.list(go.builtin('core/v1.EnvVar')),
  script: go.string(),
  workingDir: go.string(),
  params: go.list(ParamSpec.pinned('v1')).named('v1.ParamSpecs'),
  results: go.list(StepResult.pinned('v1')),
  securityContext: go.pointer(go.builtin('core/v1.SecurityContext')),
  volumeMounts: go.list(go.builtin('core/v1.VolumeMount')),
};
/** A step that several Tasks share. */
export interface StepActionSpec extends StructValue<typeof fields> {}
export const StepActionSpec: Struct<StepActionSpec> = go.struct('StepActionSpec', fields);
