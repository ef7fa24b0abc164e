import { kinds } from '@tektite/client';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { isConfigError } from '../config/config-error.ts';
import { checkConfigMap } from '../config/config-map-data.ts';
import type { ConfigDefinition } from '../config/define-config.ts';
import type { AdmissionRequest, AdmissionResponse } from './admission-review.ts';
import type { AdmissionOptions, AdmissionWebhook } from './admission-webhook.ts';
import { badRequestError, type Status } from '@tektite/meta';
import { decodeError } from './decode-error.ts';

export interface ConfigMapWebhookOptions extends AdmissionOptions {
  readonly name: string;
  /** Default `/config-validation/` and the name. */
  readonly path?: string;
  /** The same definitions that a `ConfigStore` follows. ConfigMaps of other names pass. */
  readonly configs: readonly ConfigDefinition[];
}

/**
 * A webhook that refuses ConfigMaps which controllers could not use. Without a `namespaceSelector` or `objectSelector` it is
 * asked about every ConfigMap of the cluster; upstream marks its own with a label.
 *
 * @example
 * configMapWebhook({
 *   name: 'config.webhook.pipeline.tekton.dev',
 *   configs: [featureFlags],
 *   objectSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'tekton-pipelines' } },
 * })
 */
export function configMapWebhook(options: ConfigMapWebhookOptions): AdmissionWebhook {
  const { name, path = `/config-validation/${options.name}`, configs, ...admission } = options;
  const byName = new Map(configs.map((config) => [config.name, config]));
  return {
    type: 'validating',
    name,
    path,
    rules: [{ kind: kinds.ConfigMap, operations: ['CREATE', 'UPDATE'], subresources: ['*'] }],
    options: admission,
    review: (request) => Promise.resolve(review(byName, request)),
  };
}

function review(configs: ReadonlyMap<string, ConfigDefinition>, request: AdmissionRequest): AdmissionResponse {
  const { operation, kind, object } = request;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return { allowed: true };
  if (kind.group !== '' || kind.version !== 'v1' || kind.kind !== 'ConfigMap')
    return refuse(`unhandled kind: ${kind.group}/${kind.version}, Kind=${kind.kind}`);
  if (object === undefined) return { allowed: true };
  const error = decodeError(object, kinds.ConfigMap);
  if (error !== undefined) return refuse(`cannot decode incoming new object: ${error}`);
  const config = configs.get(object.metadata?.name ?? '');
  if (!config) return { allowed: true };
  try {
    checkConfigMap(config, object as ConfigMap);
    return { allowed: true };
  } catch (error) {
    if (!isConfigError(error)) throw error;
    return refuse(error.message);
  }
}

function refuse(message: string): AdmissionResponse {
  const status: Status = badRequestError(`validation failed: ${message}`).status;
  return { allowed: false, status };
}
