import type {
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
} from '@tektite/schema/kubernetes';
import type { AdmissionRule, AdmissionWebhook } from './admission-webhook.ts';
import type { Webhook } from './review-handler.ts';

/** How an API server reaches the webhooks: through a Service of its cluster, or at a URL. Paths are added to it. */
export type WebhookAddress =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  | { readonly url: string };

/** `WebhookClientConfig` of admission and of conversion webhooks: the same form. */
export interface WebhookClientConfig {
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path: string;
    readonly port?: number;
  };
  readonly url?: string;
  readonly caBundle?: string;
}

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** Where one webhook is. `authorities`: PEM; not needed by an embedded server that calls in process. */
export function clientConfigOf(address: WebhookAddress, path: string, authorities?: string): WebhookClientConfig {
  const caBundle = authorities === undefined ? {} : { caBundle: Buffer.from(authorities).toString('base64') };
  if ('url' in address) return { url: `${address.url.replace(/\/$/, '')}${path}`, ...caBundle };
  const { namespace, name, port } = address.service;
  return { service: { namespace, name, path, ...(port === undefined ? {} : { port }) }, ...caBundle };
}

/**
 * The objects that configure webhooks at an API server: one configuration for each, of the webhook's own name, as
 * Knative does. Conversion webhooks have none; their CustomResourceDefinitions configure them.
 *
 * @example webhookConfigurations(webhooks, { service: { namespace: 'tekton-pipelines', name: 'tekton-pipelines-webhook'
 * } }, ca)
 */
export function webhookConfigurations(
  webhooks: readonly Webhook[],
  address: WebhookAddress,
  authorities?: string,
): readonly WebhookConfiguration[] {
  return webhooks
    .filter((webhook) => webhook.type !== 'conversion')
    .map((webhook) => configurationOf(webhook, clientConfigOf(address, webhook.path, authorities)));
}

function configurationOf(webhook: AdmissionWebhook, clientConfig: WebhookClientConfig): WebhookConfiguration {
  const { name, options } = webhook;
  const isMutating = webhook.type === 'mutating';
  const entry = {
    name,
    clientConfig,
    rules: rulesOf(webhook.rules),
    failurePolicy: options.failurePolicy ?? 'Fail',
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: options.timeoutSeconds ?? 10,
    admissionReviewVersions: ['v1', 'v1beta1'],
    ...(options.namespaceSelector ? { namespaceSelector: options.namespaceSelector } : {}),
    ...(options.objectSelector ? { objectSelector: options.objectSelector } : {}),
    ...(options.matchConditions ? { matchConditions: options.matchConditions } : {}),
    // Others may change an object after us, and what they add may want defaults too.
    ...(isMutating ? { reinvocationPolicy: 'IfNeeded' } : {}),
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: isMutating ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [entry],
  };
}

/** Sorted, so that the same webhooks always give the same object. */
function rulesOf(rules: readonly AdmissionRule[]): readonly RuleWithOperations[] {
  return rules
    .map(({ kind: { group, version, plural, scope }, operations, subresources }) => ({
      operations,
      apiGroups: [group],
      apiVersions: [version],
      resources: subresources.map((subresource) => (subresource === '' ? plural : `${plural}/${subresource}`)),
      scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    }))
    .sort((a, b) => compareTexts(ruleKey(a), ruleKey(b)));
}

function ruleKey({ apiGroups, apiVersions, resources }: RuleWithOperations): string {
  return [apiGroups?.[0], apiVersions?.[0], resources?.[0]].join('\n');
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
