import type { Resource } from '../../registry/resource.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { ObjectVersions } from '../matching/object-versions.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import { failsOpen, failureOf, isExempt, type WebhookCaller } from './webhook-caller.ts';
import type { WebhookConfigurations } from './webhook-configurations.ts';

/** Calls all matching webhooks, concurrently; the first denial, in the order of the webhooks, is the answer. */
export function validatingWebhooks(configurations: WebhookConfigurations, caller: WebhookCaller): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    validate(request) {
      const webhooks = isExempt(request) ? [] : configurations.concernedBy(request, caller.matcher);
      if (webhooks.length === 0) return undefined;
      return dispatch(webhooks, request, caller);
    },
  };
}

async function dispatch(
  webhooks: readonly CompiledWebhook[],
  request: AdmissionRequest,
  caller: WebhookCaller,
): Promise<void> {
  const versions = new ObjectVersions(request);
  const wanted: { readonly webhook: CompiledWebhook; readonly resource: Resource }[] = [];
  for (const webhook of webhooks) {
    const resource = await caller.wantedVersion(webhook, request, (version) => versions.in(version));
    if (resource) wanted.push({ webhook, resource });
  }
  const failures = await Promise.all(
    wanted.map(async ({ webhook, resource }, index) => {
      try {
        await caller.call(webhook, request, resource, await versions.in(resource), false);
        return undefined;
      } catch (error) {
        if (failsOpen(webhook, error))
          request.annotate?.(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, webhook.name);
        return failureOf(webhook, error);
      }
    }),
  );
  const failure = failures.find((candidate) => candidate !== undefined);
  if (failure) throw failure;
}
