import type { ConfigMap, Container, EnvVar, Pod, Secret } from '@tektite/schema/kubernetes';
import { MissingObjectError, type ObjectSource } from '../object-source.ts';
import { checkTogether, expand } from './expand.ts';
import { type FieldContext, fieldValue } from './field-value.ts';
import { type Allocatable, resourceValue } from './resource-value.ts';
import { serviceLinks } from './service-links.ts';

export interface EnvironmentContext extends FieldContext {
  readonly objects: ObjectSource;
  readonly allocatable: Allocatable;
  /** Variables that every container gets unless it has its own: where the API is. */
  readonly serviceVariables: ReadonlyMap<string, string>;
}

/**
 * The variables of a container. Later ones win: those of `envFrom` in order, then `env`, in which `$(NAME)` stands for what
 * was set before. Throws with a kubelet's message when something is missing that is not optional.
 */
export async function environment(
  pod: Pod,
  container: Container,
  context: EnvironmentContext,
): Promise<Map<string, string>> {
  const sources = new EnvironmentSources(pod, context.objects);
  const own = new Map<string, string>();
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const data = configMapRef
      ? (await sources.configMap(configMapRef.name ?? '', configMapRef.optional))?.data
      : secretRef && decoded(await sources.secret(secretRef.name ?? '', secretRef.optional));
    for (const [key, value] of Object.entries(data ?? {})) own.set(prefix + key, value);
  }
  const all = new Map([...(await linksOf(pod, context.objects)), ...context.serviceVariables, ...own]);
  let total = 0;
  for (const variable of container.env ?? []) {
    const value = variable.value
      ? expand(variable.value, all)
      : await valueFrom(pod, container, variable, context, sources);
    if (value === undefined) continue;
    checkTogether((total += value.length));
    all.set(variable.name, value);
  }
  return all;
}

/** The Service of the API is not among them: every container has its variables. */
async function linksOf({ metadata, spec }: Pod, objects: ObjectSource): Promise<ReadonlyMap<string, string>> {
  const { namespace = '' } = metadata;
  if (spec?.enableServiceLinks === false) return new Map();
  const services = await objects.services(namespace);
  return serviceLinks(services.filter((service) => service.metadata.name !== 'kubernetes' || namespace !== 'default'));
}

/** Undefined: the variable is not set at all, because it is optional. */
async function valueFrom(
  pod: Pod,
  container: Container,
  { valueFrom: from }: EnvVar,
  context: EnvironmentContext,
  sources: EnvironmentSources,
): Promise<string | undefined> {
  const { namespace } = pod.metadata;
  if (from?.fieldRef) return fieldValue(pod, from.fieldRef.fieldPath, context);
  if (from?.resourceFieldRef) return resourceValue(pod, container, from.resourceFieldRef, context.allocatable);
  if (from?.configMapKeyRef) {
    const { name = '', key, optional } = from.configMapKeyRef;
    const map = await sources.configMap(name, optional);
    const value = own(map?.data, key);
    if (value === undefined && !optional) throw new Error(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
    return value;
  }
  if (from?.secretKeyRef) {
    const { name = '', key, optional } = from.secretKeyRef;
    const secret = await sources.secret(name, optional);
    const value = own(secret?.data, key);
    if (value === undefined && !optional) throw new Error(`couldn't find key ${key} in Secret ${namespace}/${name}`);
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
  }
  return '';
}

function own(data: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return data && Object.hasOwn(data, key) ? data[key] : undefined;
}

function decoded(secret: Secret | undefined): Record<string, string> | undefined {
  if (!secret) return undefined;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}

/** Each object is asked for once per container. */
class EnvironmentSources {
  private readonly namespace: string;
  private readonly objects: ObjectSource;
  private readonly found = new Map<string, Promise<ConfigMap | Secret>>();

  constructor(pod: Pod, objects: ObjectSource) {
    this.namespace = pod.metadata.namespace ?? '';
    this.objects = objects;
  }

  configMap(name: string, optional: boolean | undefined): Promise<ConfigMap | undefined> {
    return this.once(`configmap ${name}`, optional, () => this.objects.configMap(this.namespace, name));
  }

  secret(name: string, optional: boolean | undefined): Promise<Secret | undefined> {
    return this.once(`secret ${name}`, optional, () => this.objects.secret(this.namespace, name));
  }

  private async once<T extends ConfigMap | Secret>(
    key: string,
    optional: boolean | undefined,
    get: () => Promise<T>,
  ): Promise<T | undefined> {
    let promise = this.found.get(key) as Promise<T> | undefined;
    if (!promise) {
      promise = get();
      this.found.set(key, promise);
    }
    try {
      return await promise;
    } catch (error) {
      if (optional && error instanceof MissingObjectError) return undefined;
      throw error;
    }
  }
}
