import type {
  Container,
  EnvFromSource,
  EnvVar,
  ResourceRequirements,
  SecurityContext,
  Volume,
  VolumeDevice,
  VolumeMount,
} from '@tektite/schema/kubernetes';
import type { Param, ParamSpec, ParamType, ParamValue, PropertySpec } from './param.ts';
import type { StepActionRef } from './resolver-reference.ts';
import type { WhenExpression } from './when-expression.ts';
import type { WorkspaceDeclaration, WorkspaceUsage } from './workspace.ts';

/** What a Task does: steps, one after the other, in one Pod. */
export interface TaskSpec {
  readonly displayName?: string;
  readonly description?: string;
  readonly params?: readonly ParamSpec[];
  readonly steps?: readonly Step[];
  readonly volumes?: readonly Volume[];
  /** What all steps have unless they say otherwise. */
  readonly stepTemplate?: StepTemplate;
  readonly sidecars?: readonly Sidecar[];
  readonly workspaces?: readonly WorkspaceDeclaration[];
  readonly results?: readonly TaskResult[];
}

export interface TaskResult {
  readonly name: string;
  readonly type?: ParamType;
  readonly properties?: Readonly<Record<string, PropertySpec>>;
  readonly description?: string;
  /** Where it comes from, if not from a file of its name: a result of a step. */
  readonly value?: ParamValue;
}

export interface StepResult {
  readonly name: string;
  readonly type?: ParamType;
  readonly properties?: Readonly<Record<string, PropertySpec>>;
  readonly description?: string;
}

/** What steps and their template have in common. */
export interface StepTemplate {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly envFrom?: readonly EnvFromSource[];
  readonly env?: readonly EnvVar[];
  readonly computeResources?: ResourceRequirements;
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly imagePullPolicy?: string;
  readonly securityContext?: SecurityContext;
}

export interface Step extends StepTemplate {
  readonly name?: string;
  readonly displayName?: string;
  readonly script?: string;
  /** How long it may take; Go's notation. */
  readonly timeout?: string;
  readonly workspaces?: readonly WorkspaceUsage[];
  readonly onError?: 'continue' | 'stopAndFail' | (string & {});
  readonly stdoutConfig?: StepOutputConfig;
  readonly stderrConfig?: StepOutputConfig;
  readonly ref?: StepActionRef;
  readonly params?: readonly Param[];
  readonly results?: readonly StepResult[];
  readonly when?: readonly WhenExpression[];
}

export interface StepOutputConfig {
  /** A file that gets what the step prints, besides the log. */
  readonly path?: string;
}

export interface Sidecar
  extends Omit<StepTemplate, 'computeResources'>,
    Pick<
      Container,
      | 'ports'
      | 'livenessProbe'
      | 'readinessProbe'
      | 'startupProbe'
      | 'lifecycle'
      | 'terminationMessagePath'
      | 'terminationMessagePolicy'
      | 'stdin'
      | 'stdinOnce'
      | 'tty'
      | 'restartPolicy'
    > {
  readonly name: string;
  readonly computeResources?: ResourceRequirements;
  readonly script?: string;
  readonly workspaces?: readonly WorkspaceUsage[];
}
