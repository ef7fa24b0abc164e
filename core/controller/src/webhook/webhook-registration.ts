import { type Client, kinds, mergePatch, retryOnConflict } from '@tektite/client';
import type { ObjectMeta } from '@tektite/meta';
import { ControllerError } from '../controller-error.ts';
import { covers } from './covers.ts';
import type { Webhook } from './review-handler.ts';
import {
  clientConfigOf,
  type WebhookAddress,
  type WebhookClientConfig,
  type WebhookConfiguration,
  webhookConfigurations,
} from './webhook-configurations.ts';

export interface RegistrationOptions {
  readonly client: Client;
  readonly webhooks: readonly Webhook[];
  readonly address: WebhookAddress;
  /** Labels and owners of configurations that have to be created. */
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations' | 'ownerReferences'>;
}

/** The `spec.conversion` of a CustomResourceDefinition. */
export interface WebhookConversion {
  readonly strategy: 'Webhook';
  readonly webhook: {
    readonly clientConfig: WebhookClientConfig;
    readonly conversionReviewVersions: readonly string[];
  };
}

/** How the webhooks convert objects, by the names of the definitions that have to say so. */
export function conversionsOf(
  webhooks: readonly Webhook[],
  address: WebhookAddress,
  authorities?: string,
): ReadonlyMap<string, WebhookConversion> {
  const conversions = new Map<string, WebhookConversion>();
  for (const webhook of webhooks) {
    if (webhook.type !== 'conversion') continue;
    const clientConfig = clientConfigOf(address, webhook.path, authorities);
    const conversion = { clientConfig, conversionReviewVersions: ['v1', 'v1beta1'] };
    for (const { kind } of webhook.rules)
      conversions.set(`${kind.plural}.${kind.group}`, { strategy: 'Webhook', webhook: conversion });
  }
  return conversions;
}

/**
 * Registers webhooks at the API server: writes their configurations, and the conversion into CustomResourceDefinitions.
 *
 * Only what differs is written, so this can be called again and again; additions of other clients (another webhook in
 * the same configuration, a selector) stays. All are tried even if some fail. Returns whether anything was written. Rejects with
 * `REGISTRATION_FAILED`.
 */
export async function registerWebhooks(
  options: RegistrationOptions,
  authorities?: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const { webhooks, address } = options;
  const work: (() => Promise<boolean>)[] = webhookConfigurations(webhooks, address, authorities).map(
    (configuration) => () => writeConfiguration(options, configuration, signal),
  );
  for (const [name, conversion] of conversionsOf(webhooks, address, authorities))
    work.push(() => writeConversion(options.client, name, conversion, signal));
  const outcomes = await Promise.allSettled(work.map((write) => write()));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
  if (failures.length === 0) return outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value);
  signal?.throwIfAborted();
  throw new ControllerError('REGISTRATION_FAILED', failures.map(({ message }) => message).join('; '), {
    cause: failures[0],
  });
}

async function writeConfiguration(
  { client, metadata }: RegistrationOptions,
  wanted: WebhookConfiguration,
  signal?: AbortSignal,
): Promise<boolean> {
  const name = wanted.metadata.name ?? '';
  const kind =
    wanted.kind === 'MutatingWebhookConfiguration'
      ? kinds.MutatingWebhookConfiguration
      : kinds.ValidatingWebhookConfiguration;
  const call = signal ? { signal } : {};
  return await retryOnConflict(async () => {
    const found = await client.getOrUndefined(kind, { name }, call);
    if (!found) {
      await client.create(kind, { ...wanted, metadata: { ...metadata, name } } as never, call);
      return true;
    }
    const webhooks = mergeEntries(found.webhooks ?? [], wanted.webhooks ?? []);
    if (covers(found.webhooks, webhooks)) return false;
    await client.update(kind, { ...found, webhooks } as never, call);
    return true;
  });
}

type Entry = { readonly name: string };

/** Our entries in the place they have; fields that we say nothing of, and entries of others, stay. */
function mergeEntries(present: readonly Entry[], wanted: readonly Entry[]): readonly Entry[] {
  const ours = new Map(wanted.map((entry) => [entry.name, entry]));
  const merged = present.map((entry) => ({ ...entry, ...ours.get(entry.name) }));
  const names = new Set(present.map(({ name }) => name));
  return [...merged, ...wanted.filter(({ name }) => !names.has(name))];
}

async function writeConversion(
  client: Client,
  name: string,
  conversion: WebhookConversion,
  signal?: AbortSignal,
): Promise<boolean> {
  const call = signal ? { signal } : {};
  const found = await client.get(kinds.CustomResourceDefinition, { name }, call);
  if (covers(found.spec.conversion, conversion)) return false;
  const { clientConfig } = conversion.webhook;
  const other = clientConfig.service ? { url: null } : { service: null };
  const patched = {
    ...conversion,
    webhook: { ...conversion.webhook, clientConfig: { ...clientConfig, ...other } },
  };
  await client.patch(kinds.CustomResourceDefinition, { name }, mergePatch({ spec: { conversion: patched } }), call);
  return true;
}
