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
import { isDecodeError } from '@tektite/go';
import { badRequestError, type KubeObject } from '@tektite/meta';
import type { StructKind } from '@tektite/schema/struct';
import { configDefaults } from '../config/config-defaults.ts';
import type { CurrentSettings } from '../config/current-settings.ts';
import { allKinds } from '../kinds/all-kinds.ts';
import { checksOf, decodeObject } from './review-object.ts';

/** The webhooks of all kinds and versions, under upstream's names. Paths differ: one process serves those of other systems, too. */
export function triggersWebhooks(settings: CurrentSettings): readonly AdmissionWebhook[] {
  return [
    defaultingWebhook({
      name: 'webhook.triggers.tekton.dev',
      path: '/triggers/defaulting',
      rules: allKinds.map((kind) => defaultingRule(kind, settings)),
    }),
    validatingWebhook({
      name: 'validation.webhook.triggers.tekton.dev',
      path: '/triggers/resource-validation',
      rules: allKinds.map(validatingRule),
    }),
    configMapWebhook({
      name: 'config.webhook.triggers.tekton.dev',
      path: '/triggers/config-validation',
      configs: [configDefaults],
      objectSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'tekton-triggers' } },
    }),
  ];
}

function defaultingRule(kind: StructKind, settings: CurrentSettings): DefaultingRule {
  const { applyDefaults = (object) => object } = checksOf(kind);
  return defaulting(kind, (object) =>
    applyDefaults(decode(kind, object, 'mutation failed', 'new'), kind.version, settings),
  );
}

function validatingRule(kind: StructKind): ValidatingRule {
  const { validate } = checksOf(kind);
  const doing = 'decoding request failed';
  return validating(kind, (object, { old }) => {
    if (old) decode(kind, old, doing, 'old');
    return validate(decode(kind, object, doing, 'new'), kind.version);
  });
}

/** The object as Go reads it. Unknown fields are denied. */
function decode(kind: StructKind, object: KubeObject, doing: string, which: 'new' | 'old'): KubeObject {
  try {
    return decodeObject(kind, object);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw badRequestError(`${doing}: cannot decode incoming ${which} object: ${error.message}`);
  }
}
