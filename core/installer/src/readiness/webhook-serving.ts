import type { ObjectReference } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { notReady, ready, type ReadinessCheck } from './readiness-check.ts';

interface Webhook {
  readonly name?: string;
  readonly clientConfig?: {
    readonly caBundle?: string;
    readonly url?: string;
    readonly service?: { readonly namespace?: string; readonly name?: string };
  };
}

function webhooksOf(live: DynamicObject): readonly Webhook[] {
  return Array.isArray(live.webhooks) ? (live.webhooks as readonly Webhook[]) : [];
}

function servicesOf(live: DynamicObject): readonly ObjectReference[] {
  const services = new Map<string, ObjectReference>();
  for (const { clientConfig } of webhooksOf(live)) {
    const { namespace = '', name = '' } = clientConfig?.service ?? {};
    if (name) services.set(`${namespace}/${name}`, { apiVersion: 'v1', kind: 'Endpoints', namespace, name });
  }
  return [...services.values()];
}

/** A webhook configuration that can be called: every CA bundle is set, and every service has ready endpoints. */
export const webhookServing: ReadinessCheck = {
  alsoRead: servicesOf,
  decide(live, { others }) {
    const bare = webhooksOf(live).find(({ clientConfig }) => clientConfig?.service && !clientConfig.caBundle);
    if (bare) return notReady('WebhookNotReady', `the webhook ${bare.name} has no certificate yet`);
    const services = servicesOf(live);
    const silent = services.find((_, index) => !hasAddress(others[index]));
    if (!silent) return ready;
    return notReady('WebhookNotReady', `no ready endpoint behind the service ${silent.namespace}/${silent.name}`);
  },
};

function hasAddress(endpoints: DynamicObject | undefined): boolean {
  const subsets = Array.isArray(endpoints?.subsets) ? endpoints.subsets : [];
  return subsets.some(({ addresses }: { addresses?: readonly unknown[] }) => (addresses?.length ?? 0) > 0);
}
