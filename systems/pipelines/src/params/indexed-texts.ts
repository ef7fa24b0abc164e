import type { EnvFromSource, EnvVar, KeyToPath, Volume, VolumeProjection } from '@tektite/schema/kubernetes';
import type { StepTemplate, TaskSpec } from '../kinds/task-spec.ts';

type Texts = readonly (string | undefined)[];
type AnyContainer = StepTemplate & { readonly name?: string; readonly script?: string };

/** The texts of a Task that upstream searches for items of arrays: not all of those in which variables are replaced. */
export function indexedTexts({
  steps = [],
  stepTemplate,
  sidecars = [],
  volumes = [],
  workspaces = [],
}: TaskSpec): Texts {
  const containers: readonly AnyContainer[] = [
    ...steps,
    ...(stepTemplate ? [stepTemplate] : []),
    ...(sidecars as readonly AnyContainer[]),
  ];
  return [
    ...containers.flatMap(containerTexts),
    ...volumes.flatMap(volumeTexts),
    ...workspaces.map(({ mountPath }) => mountPath),
  ];
}

function containerTexts(container: AnyContainer): Texts {
  const { args = [], command = [], env = [], envFrom = [], volumeMounts = [] } = container;
  return [
    container.name,
    container.script,
    container.image,
    container.imagePullPolicy,
    container.workingDir,
    ...command,
    ...args,
    ...env.flatMap(envTexts),
    ...envFrom.flatMap(envFromTexts),
    ...volumeMounts.flatMap(({ name, mountPath, subPath }) => [name, mountPath, subPath]),
  ];
}

function envTexts({ value, valueFrom }: EnvVar): Texts {
  const { secretKeyRef: secret, configMapKeyRef: configMap } = valueFrom ?? {};
  return [value, secret?.name, secret?.key, configMap?.name, configMap?.key];
}

function envFromTexts({ prefix, configMapRef, secretRef }: EnvFromSource): Texts {
  return [prefix, configMapRef?.name, secretRef?.name];
}

function volumeTexts({ name, configMap, secret, persistentVolumeClaim, projected, csi }: Volume): Texts {
  return [
    name,
    configMap?.name,
    ...itemTexts(configMap?.items),
    secret?.secretName,
    ...itemTexts(secret?.items),
    persistentVolumeClaim?.claimName,
    ...(projected?.sources ?? []).flatMap(projectionTexts),
    csi?.nodePublishSecretRef?.name,
    ...Object.values(csi?.volumeAttributes ?? {}),
  ];
}

function itemTexts(items: readonly KeyToPath[] = []): Texts {
  return items.flatMap(({ key, path }) => [key, path]);
}

function projectionTexts({ configMap, secret, serviceAccountToken }: VolumeProjection): Texts {
  return [configMap?.name, secret?.name, serviceAccountToken?.audience];
}
