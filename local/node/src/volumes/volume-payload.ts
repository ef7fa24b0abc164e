import type { ConfigMap, KeyToPath, Pod, Secret, Volume, VolumeProjection } from '@tektite/schema/kubernetes';
import { MissingObjectError, type ObjectSource } from '../object-source.ts';
import { type FieldContext, fieldValue } from '../env/field-value.ts';
import { type Allocatable, resourceValue } from '../env/resource-value.ts';
import type { Payload, PayloadFile } from './atomic-writer.ts';
import type { TokenSource } from './service-account-token.ts';

export interface PayloadContext extends FieldContext {
  readonly objects: ObjectSource;
  readonly tokens: TokenSource;
  readonly allocatable: Allocatable;
}

/** The kinds of volumes that are files written by us. */
export function hasPayload(volume: Volume): boolean {
  return (volume.configMap ?? volume.secret ?? volume.projected ?? volume.downwardAPI) !== undefined;
}

const defaultFileMode = 0o644;

/** The files of a volume. Throws with a kubelet's message when something is missing. */
export async function volumePayload(pod: Pod, volume: Volume, context: PayloadContext): Promise<Payload> {
  const { configMap, secret, projected, downwardAPI } = volume;
  if (projected)
    return projectedPayload(pod, projected.sources ?? [], projected.defaultMode ?? defaultFileMode, context);
  const single: VolumeProjection = {
    ...(configMap ? { configMap } : {}),
    ...(secret ? { secret: { ...secret, name: secret.secretName ?? '' } } : {}),
    ...(downwardAPI ? { downwardAPI } : {}),
  };
  const mode = configMap?.defaultMode ?? secret?.defaultMode ?? downwardAPI?.defaultMode ?? defaultFileMode;
  return new Map(await sourceFiles(pod, single, mode, context));
}

async function projectedPayload(
  pod: Pod,
  sources: readonly VolumeProjection[],
  mode: number,
  context: PayloadContext,
): Promise<Payload> {
  const payload = new Map<string, PayloadFile>();
  const problems: string[] = [];
  for (const source of sources) {
    try {
      for (const [path, file] of await sourceFiles(pod, source, mode, context)) payload.set(path, file);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  if (problems.length === 1) throw new Error(problems[0]);
  // Several errors are written as Go prints a list of them.
  if (problems.length > 1) throw new Error(`[${problems.join(', ')}]`);
  return payload;
}

async function sourceFiles(
  pod: Pod,
  source: VolumeProjection,
  mode: number,
  context: PayloadContext,
): Promise<[string, PayloadFile][]> {
  const namespace = pod.metadata.namespace ?? '';
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap) {
    const found = await unlessOptional(configMap.optional, () =>
      context.objects.configMap(namespace, configMap.name ?? ''),
    );
    return keyFiles(configMapData(found), configMap.items, mode, configMap.optional, 'configmap');
  }
  if (secret) {
    const found = await unlessOptional(secret.optional, () => context.objects.secret(namespace, secret.name ?? ''));
    return keyFiles(secretData(found), secret.items, mode, secret.optional, 'secret');
  }
  if (downwardAPI) {
    return (downwardAPI.items ?? []).map(({ path, mode: own, fieldRef, resourceFieldRef }) => {
      const [container] = pod.spec?.containers ?? [];
      const text = fieldRef
        ? fieldValue(pod, fieldRef.fieldPath, context)
        : resourceFieldRef && container
          ? resourceValue(pod, container, resourceFieldRef, context.allocatable)
          : '';
      return [path, { data: Buffer.from(text), mode: own ?? mode }];
    });
  }
  if (serviceAccountToken) {
    const token = await context.tokens.token(pod, serviceAccountToken);
    return [[serviceAccountToken.path, { data: Buffer.from(token), mode: tokenMode(pod, mode) }]];
  }
  throw new Error('this source of a projected volume is not supported by this node');
}

/** A token is readable by its containers alone, if they have a specific user or group. */
function tokenMode(pod: Pod, mode: number): number {
  return pod.spec?.securityContext?.fsGroup === undefined && commonUser(pod) === undefined ? mode : 0o600;
}

/** The user that all containers run as, if they say so. */
export function commonUser({ spec }: Pod): number | undefined {
  const users = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(
    ({ securityContext }) => securityContext?.runAsUser ?? spec?.securityContext?.runAsUser,
  );
  const [first] = users;
  return users.every((user) => user === first) ? first : undefined;
}

async function unlessOptional<T>(optional: boolean | undefined, get: () => Promise<T>): Promise<T | undefined> {
  try {
    return await get();
  } catch (error) {
    if (optional && error instanceof MissingObjectError) return undefined;
    throw error;
  }
}

function configMapData(map: ConfigMap | undefined): Map<string, Uint8Array> {
  const texts = Object.entries(map?.data ?? {}).map(([key, text]): [string, Uint8Array] => [key, Buffer.from(text)]);
  const binaries = Object.entries(map?.binaryData ?? {}).map(([key, data]): [string, Uint8Array] => [
    key,
    Buffer.from(data, 'base64'),
  ]);
  return new Map([...texts, ...binaries]);
}

function secretData(secret: Secret | undefined): Map<string, Uint8Array> {
  return new Map(Object.entries(secret?.data ?? {}).map(([key, data]) => [key, Buffer.from(data, 'base64')]));
}

function keyFiles(
  data: ReadonlyMap<string, Uint8Array>,
  items: readonly KeyToPath[] | undefined,
  mode: number,
  optional: boolean | undefined,
  what: 'configmap' | 'secret',
): [string, PayloadFile][] {
  if (!items || items.length === 0) return [...data].map(([key, bytes]) => [key, { data: bytes, mode }]);
  return items.flatMap(({ key, path, mode: own }): [string, PayloadFile][] => {
    const bytes = data.get(key);
    if (bytes) return [[path, { data: bytes, mode: own ?? mode }]];
    if (optional) return [];
    throw new Error(
      what === 'configmap'
        ? `configmap references non-existent config key: ${key}`
        : `references non-existent secret key: ${key}`,
    );
  });
}
