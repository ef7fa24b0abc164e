import type { FieldErrors } from '@tektite/controller/field-errors';
import { decodeStruct } from '@tektite/go';
import type { KubeObject } from '@tektite/meta';
import type { StructKind } from '@tektite/schema/struct';
import { standardDefaults } from '../config/config-defaults.ts';
import type { CurrentSettings } from '../config/current-settings.ts';
import { standardFlags } from '../config/feature-flags.ts';
import { allKinds } from '../kinds/all-kinds.ts';
import { defaultEventListener, defaultInterceptorObject, defaultTrigger } from '../rules/default-trigger.ts';
import { validateClusterTriggerBinding, validateTriggerBinding } from '../rules/validate-binding.ts';
import { validateEventListener } from '../rules/validate-event-listener.ts';
import { validateInterceptorObject } from '../rules/validate-interceptor.ts';
import { validateTriggerTemplate } from '../rules/validate-template.ts';
import { validateTrigger } from '../rules/validate-trigger.ts';

/** The functions for the objects of one kind, in any version. */
export interface KindChecks {
  applyDefaults?(object: KubeObject, version: string, settings: CurrentSettings): KubeObject;
  validate(object: KubeObject, version: string): FieldErrors;
}

const interceptorChecks: KindChecks = {
  applyDefaults: (object) => defaultInterceptorObject(object as never),
  validate: (object) => validateInterceptorObject(object as never),
};
const checks: Readonly<Record<string, KindChecks>> = {
  ClusterInterceptor: interceptorChecks,
  Interceptor: interceptorChecks,
  ClusterTriggerBinding: { validate: (object) => validateClusterTriggerBinding(object as never) },
  TriggerBinding: { validate: (object) => validateTriggerBinding(object as never) },
  TriggerTemplate: { validate: (object) => validateTriggerTemplate(object as never) },
  Trigger: {
    applyDefaults: (object, version) => defaultTrigger(object as never, version),
    validate: (object, version) => validateTrigger(object as never, version),
  },
  EventListener: {
    applyDefaults: (object, version, { defaults }) => defaultEventListener(object as never, defaults(), version),
    validate: (object, version) => validateEventListener(object as never, version),
  },
};

/** The functions for a kind. */
export function checksOf({ kind }: Pick<StructKind, 'kind'>): KindChecks {
  return checks[kind] as KindChecks;
}

/** The object as Go reads it. Unknown fields are denied. */
export function decodeObject(kind: StructKind, object: KubeObject): KubeObject {
  const { apiVersion, kind: name, metadata } = object;
  return { apiVersion, kind: name, ...decodeStruct(kind.struct, object, { isResource: true }), metadata };
}

const shipped: CurrentSettings = { flags: () => standardFlags, defaults: () => standardDefaults };

/** The object as the webhooks leave it. Throws when they would deny it. Objects of other systems stay as they are. */
export function reviewObject(object: KubeObject): KubeObject {
  const kind = allKinds.find(
    ({ group, version, kind: name }) => object.apiVersion === `${group}/${version}` && object.kind === name,
  );
  if (!kind) return object;
  const { applyDefaults = (each: KubeObject) => each, validate } = checksOf(kind);
  const title = `${object.kind} ${object.metadata.name}`;
  let decoded: KubeObject;
  try {
    decoded = applyDefaults(decodeObject(kind, object), kind.version, shipped);
  } catch (error) {
    throw new Error(`${title}: ${(error as Error).message}`, { cause: error });
  }
  const errors = validate(decoded, kind.version);
  if (!errors.isEmpty) throw new Error(`${title}: validation failed: ${errors.toString()}`);
  return decoded;
}
