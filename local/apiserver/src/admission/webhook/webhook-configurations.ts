import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@tektite/schema/kubernetes';
import type { AdmissionRequest } from '../admission.ts';
import type { RequestMatcher } from '../matching/request-matcher.ts';
import type { Storage } from '../../storage/storage.ts';
import { type CompiledWebhook, compileWebhook } from './compiled-webhook.ts';
import type { WebhookClients } from './webhook-clients.ts';

type AnyConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/**
 * The webhooks of all configurations of one kind, read once and followed from then on, so that a request pays nothing for
 * webhooks that are not there. Configurations come in the order of their names.
 */
export class WebhookConfigurations implements Disposable {
  private readonly clients: WebhookClients;
  private readonly byConfiguration = new Map<string, readonly CompiledWebhook[]>();
  private readonly subscription: Disposable;
  private ordered: readonly CompiledWebhook[] | undefined;
  /** The webhooks with a rule for a sort of request. Most requests match none, and return early. */
  private readonly concerned = new Map<string, readonly CompiledWebhook[]>();
  private concernedVersion = -1;

  constructor(
    plural: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations',
    storage: Storage,
    clients: WebhookClients,
  ) {
    this.clients = clients;
    const prefix = `/registry/${plural}/`;
    for (const { value } of storage.list(prefix).entries) this.put(value as AnyConfiguration);
    this.subscription = storage.watch(prefix, storage.revision, ({ value, deleted }) => {
      if (deleted) this.drop(value.metadata.name ?? '');
      else this.put(value as AnyConfiguration);
    });
  }

  /** The webhooks whose rules cover a request. Whether they want to see it, the rest of their criteria says. */
  concernedBy(request: AdmissionRequest, matcher: RequestMatcher): readonly CompiledWebhook[] {
    const all = this.webhooks();
    if (all.length === 0) return all;
    if (this.concernedVersion !== matcher.version) this.concerned.clear();
    this.concernedVersion = matcher.version;
    const { operation, resource, subresource, namespace } = request;
    const scope = namespace === '' ? 'cluster' : 'namespace';
    const sort = `${operation} ${resource.group}/${resource.version}/${resource.plural}/${subresource} ${scope}`;
    let found = this.concerned.get(sort);
    if (!found) {
      found = all.filter(({ criteria }) => matcher.matchRules(criteria.rules, criteria.matchPolicy, request));
      this.concerned.set(sort, found);
    }
    return found;
  }

  private webhooks(): readonly CompiledWebhook[] {
    return (this.ordered ??= [...this.byConfiguration]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, webhooks]) => webhooks));
  }

  [Symbol.dispose](): void {
    this.subscription[Symbol.dispose]();
    for (const name of this.byConfiguration.keys()) this.drop(name);
  }

  private put(configuration: AnyConfiguration): void {
    const { name = '' } = configuration.metadata;
    this.drop(name);
    const compiled = (configuration.webhooks ?? []).map((webhook, index): CompiledWebhook => {
      const position = () => this.webhooks().findIndex((one) => one.id === `${name}/${index}`);
      return compileWebhook({ configuration: name, index, position }, webhook, this.clients);
    });
    this.byConfiguration.set(name, compiled);
  }

  private drop(name: string): void {
    this.ordered = undefined;
    this.concerned.clear();
    for (const webhook of this.byConfiguration.get(name) ?? []) webhook.dispose();
    this.byConfiguration.delete(name);
  }
}
