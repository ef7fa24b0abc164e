import type { FieldErrors } from '@tektite/controller/field-errors';
import {
  type AdmissionWebhook,
  configMapWebhook,
  defaulting,
  type DefaultingRule,
  defaultingWebhook,
  validating,
  type ValidatingRule,
  validatingWebhook,
} from '@tektite/controller/webhook';
import { decodeStruct, isDecodeError } from '@tektite/go';
import { badRequestError, type KubeObject } from '@tektite/meta';
import type { StructKind } from '@tektite/schema/struct';
import { configDefaults } from '../config/config-defaults.ts';
import type { CurrentSettings } from '../config/current-settings.ts';
import { allKinds } from '../kinds/all-kinds.ts';
import { defaultEventListener, defaultInterceptorObject, defaultTrigger } from '../rules/default-trigger.ts';
import { validateClusterTriggerBinding, validateTriggerBinding } from '../rules/validate-binding.ts';
import { validateEventListener } from '../rules/validate-event-listener.ts';
import { validateInterceptorObject } from '../rules/validate-interceptor.ts';
import { validateTriggerTemplate } from '../rules/validate-template.ts';
import { validateTrigger } from '../rules/validate-trigger.ts';

/** The functions for the objects of one kind, in any version. */
interface KindChecks {
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

/** The webhooks of all kinds and versions, under upstream's names and paths. */
export function triggersWebhooks(settings: CurrentSettings): readonly AdmissionWebhook[] {
  return [
    defaultingWebhook({
      name: 'webhook.triggers.tekton.dev',
      path: '/defaulting',
      rules: allKinds.map((kind) => defaultingRule(kind, settings)),
    }),
    validatingWebhook({
      name: 'validation.webhook.triggers.tekton.dev',
      path: '/resource-validation',
      rules: allKinds.map(validatingRule),
    }),
    configMapWebhook({
      name: 'config.webhook.triggers.tekton.dev',
      path: '/config-validation',
      configs: [configDefaults],
      objectSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'tekton-triggers' } },
    }),
  ];
}

function defaultingRule(kind: StructKind, settings: CurrentSettings): DefaultingRule {
  const { applyDefaults = (object) => object } = checks[kind.kind] as KindChecks;
  return defaulting(
    kind,
    (object, { subresource }) => {
      const decoded = decode(kind, object, 'mutation failed', 'new');
      return subresource === 'status' ? decoded : applyDefaults(decoded, kind.version, settings);
    },
    { subresources: ['status'] },
  );
}

function validatingRule(kind: StructKind): ValidatingRule {
  const { validate } = checks[kind.kind] as KindChecks;
  const doing = 'decoding request failed';
  return validating(
    kind,
    (object, { old }) => {
      if (old) decode(kind, old, doing, 'old');
      return validate(decode(kind, object, doing, 'new'), kind.version);
    },
    { subresources: ['status'], unchecked: ['status'] },
  );
}

/** The object as Go reads it. Unknown fields are denied. */
function decode(kind: StructKind, object: KubeObject, doing: string, which: 'new' | 'old'): KubeObject {
  const { apiVersion, kind: name, metadata } = object;
  try {
    return { apiVersion, kind: name, ...decodeStruct(kind.struct, object, { isResource: true }), metadata };
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw badRequestError(`${doing}: cannot decode incoming ${which} object: ${error.message}`);
  }
}
