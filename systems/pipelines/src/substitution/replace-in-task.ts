import type {
  ConfigMapVolumeSource,
  EnvFromSource,
  EnvVar,
  KeyToPath,
  SecretVolumeSource,
  Volume,
  VolumeMount,
  VolumeProjection,
} from '@tektite/schema/kubernetes';
import type { Param } from '../kinds/param.ts';
import type { Sidecar, Step, StepTemplate, TaskSpec } from '../kinds/task-spec.ts';
import type { WhenExpression } from '../kinds/when-expression.ts';
import type { WorkspaceDeclaration } from '../kinds/workspace.ts';
import type { Replacements } from './replacements.ts';
import { arrayOf, replaceList, replaceText, replaceValue } from './replace-text.ts';

type Replace = (text: string) => string;

/** A copy with the named fields changed, where they are set. */
function change<T extends object>(
  object: T,
  changes: { readonly [K in keyof T]?: (value: NonNullable<T[K]>) => unknown },
): T {
  const result = { ...object } as Record<string, unknown>;
  for (const [field, apply] of Object.entries(changes)) {
    const value = (object as Record<string, unknown>)[field];
    if (value !== undefined && value !== null) result[field] = (apply as (value: unknown) => unknown)(value);
  }
  return result as T;
}

const each =
  <T>(apply: (item: T) => T) =>
  (list: readonly T[]): readonly T[] =>
    list.map(apply);

/**
 * A Task with everything replaced that may be: container fields, scripts, volumes, mount paths of workspaces. Not: security
 * contexts, resources, timeouts, ports, probes.
 */
export function replaceInTask(spec: TaskSpec, replacements: Replacements): TaskSpec {
  const replace: Replace = (text) => replaceText(text, replacements);
  return change(spec, {
    steps: each((step: Step) => replaceInStep(step, replacements)),
    stepTemplate: (template) => replaceInContainer(template as StepTemplate, replacements),
    sidecars: each((sidecar: Sidecar) => replaceInSidecar(sidecar, replacements)),
    volumes: each((volume: Volume) => replaceInVolume(volume, replace)),
    workspaces: each((workspace: WorkspaceDeclaration) => change(workspace, { mountPath: replace })),
  });
}

/** A step with everything replaced that may be. */
export function replaceInStep(step: Step, replacements: Replacements): Step {
  const replace: Replace = (text) => replaceText(text, replacements);
  return change(replaceInContainer(step, replacements), {
    name: replace,
    script: replace,
    onError: replace,
    stdoutConfig: (config) => change(config, { path: replace }),
    stderrConfig: (config) => change(config, { path: replace }),
    when: each((when: WhenExpression) => replaceInWhen(when, replacements)),
    params: each((param: Param) => ({ ...param, value: replaceValue(param.value, replacements) })),
  });
}

/** A sidecar with everything replaced that may be. */
export function replaceInSidecar(sidecar: Sidecar, replacements: Replacements): Sidecar {
  const replace: Replace = (text) => replaceText(text, replacements);
  return change(replaceInContainer(sidecar as Sidecar & StepTemplate, replacements), {
    name: replace,
    script: replace,
  });
}

/** Arrays in `values` become their items; in `input` they become JSON. */
export function replaceInWhen(when: WhenExpression, replacements: Replacements): WhenExpression {
  return change(when, {
    input: (input) => {
      const array = arrayOf(input, replacements);
      return array ? JSON.stringify(array) : replaceText(input, replacements);
    },
    values: (values) => replaceList(values, replacements),
    cel: (cel) => replaceText(cel, replacements),
  });
}

function replaceInContainer<T extends StepTemplate>(container: T, replacements: Replacements): T {
  const replace: Replace = (text) => replaceText(text, replacements);
  const list = (items: readonly string[]) => replaceList(items, replacements);
  return change(container as StepTemplate, {
    image: replace,
    imagePullPolicy: replace,
    command: list,
    args: list,
    env: each((entry: EnvVar) => replaceInEnv(entry, replace)),
    envFrom: each((entry: EnvFromSource) => replaceInEnvFrom(entry, replace)),
    workingDir: replace,
    volumeMounts: each((mount: VolumeMount) => change(mount, { name: replace, mountPath: replace, subPath: replace })),
  }) as T;
}

function replaceInEnv(entry: EnvVar, replace: Replace): EnvVar {
  return change(entry, {
    value: replace,
    valueFrom: (source) =>
      change(source, {
        secretKeyRef: (ref) => change(ref, { name: replace, key: replace }),
        configMapKeyRef: (ref) => change(ref, { name: replace, key: replace }),
      }),
  });
}

function replaceInEnvFrom(entry: EnvFromSource, replace: Replace): EnvFromSource {
  return change(entry, {
    prefix: replace,
    configMapRef: (ref) => change(ref, { name: replace }),
    secretRef: (ref) => change(ref, { name: replace }),
  });
}

function replaceInItems(replace: Replace): (items: readonly KeyToPath[]) => readonly KeyToPath[] {
  return each((item) => change(item, { key: replace, path: replace }));
}

function replaceInVolume(volume: Volume, replace: Replace): Volume {
  return change(volume, {
    name: replace,
    configMap: (source: ConfigMapVolumeSource) =>
      change(source, { name: replace, items: replaceInItems(replace) as never }),
    secret: (source: SecretVolumeSource) =>
      change(source, { secretName: replace, items: replaceInItems(replace) as never }),
    persistentVolumeClaim: (source) => change(source, { claimName: replace }),
    projected: (source) =>
      change(source, { sources: each((each_: VolumeProjection) => replaceInProjection(each_, replace)) as never }),
    csi: (source) =>
      change(source, {
        nodePublishSecretRef: (ref) => change(ref, { name: replace }),
        volumeAttributes: (attributes) => replaceAttributes(attributes as Record<string, string>, replace),
      }),
  });
}

function replaceInProjection(projection: VolumeProjection, replace: Replace): VolumeProjection {
  return change(projection, {
    configMap: (source) => change(source, { name: replace, items: replaceInItems(replace) as never }),
    secret: (source) => change(source, { name: replace, items: replaceInItems(replace) as never }),
    serviceAccountToken: (source) => change(source, { audience: replace }),
  });
}

function replaceAttributes(attributes: Readonly<Record<string, string>>, replace: Replace): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, replace(value)]));
}
