import type { EnvVar, SecurityContext, VolumeMount } from '@tektite/schema/kubernetes';
import type { ParamSpec } from './param.ts';
import type { StepResult } from './task-spec.ts';

/** A step that several Tasks share. */
export interface StepActionSpec {
  readonly description?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly script?: string;
  readonly workingDir?: string;
  readonly params?: readonly ParamSpec[];
  readonly results?: readonly StepResult[];
  readonly securityContext?: SecurityContext;
  readonly volumeMounts?: readonly VolumeMount[];
}
