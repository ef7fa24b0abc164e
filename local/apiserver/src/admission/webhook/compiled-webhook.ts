import type { MutatingWebhook, ValidatingWebhook } from '@tektite/schema/kubernetes';
import { type CompiledConditions, compileConditions } from '../expression/match-conditions.ts';
import { compileSelector, type MatchCriteria } from '../matching/request-matcher.ts';
import type { WebhookClient } from './webhook-client.ts';
import type { WebhookClients } from './webhook-clients.ts';

/** A webhook of a configuration, with everything that can be prepared before there is a request. */
export interface CompiledWebhook {
  /** Identifies a webhook, also among those of the same name. */
  readonly id: string;
  readonly name: string;
  /** The name of its configuration. */
  readonly configuration: string;
  /** Its place among the webhooks of all configurations. */
  readonly position: () => number;
  readonly criteria: MatchCriteria;
  readonly conditions: CompiledConditions;
  readonly ignoresFailure: boolean;
  readonly sideEffects: string;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
  readonly isReinvoked: boolean;
  readonly client: WebhookClient;
  /** Releases its connections. */
  dispose(): void;
}

/** Where a webhook is written. */
export interface WebhookPlace {
  readonly configuration: string;
  readonly index: number;
  readonly position: () => number;
}

const defaultTimeoutSeconds = 10;

/** Prepares a webhook; conditions are compiled and connections made when it is first called. */
export function compileWebhook(
  { configuration, index, position }: WebhookPlace,
  webhook: MutatingWebhook | ValidatingWebhook,
  clients: WebhookClients,
): CompiledWebhook {
  let client: WebhookClient | undefined;
  let conditions: CompiledConditions | undefined;
  return {
    id: `${configuration}/${index}`,
    name: webhook.name,
    configuration,
    position,
    criteria: {
      rules: webhook.rules ?? [],
      matchPolicy: webhook.matchPolicy === 'Exact' ? 'Exact' : 'Equivalent',
      namespaceSelector: compileSelector(webhook.namespaceSelector),
      objectSelector: compileSelector(webhook.objectSelector),
    },
    get conditions() {
      return (conditions ??= compileConditions(webhook.matchConditions));
    },
    ignoresFailure: webhook.failurePolicy === 'Ignore',
    sideEffects: webhook.sideEffects ?? '',
    timeoutSeconds: webhook.timeoutSeconds ?? defaultTimeoutSeconds,
    reviewVersions: webhook.admissionReviewVersions ?? [],
    isReinvoked: 'reinvocationPolicy' in webhook && webhook.reinvocationPolicy === 'IfNeeded',
    get client() {
      return (client ??= clients.take(webhook.clientConfig));
    },
    dispose() {
      if (client) clients.giveBack(webhook.clientConfig);
      client = undefined;
    },
  };
}
