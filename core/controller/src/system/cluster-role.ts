import type { Kind } from '@tektite/schema';
import type { ClusterRole, PolicyRule } from '@tektite/schema/kubernetes';
import { webhookConfigurations } from '../webhook/webhook-configurations.ts';
import type { Webhook } from '../webhook/review-handler.ts';
import type { System } from './system.ts';

const follow = ['list', 'watch'];

/**
 * The cluster-wide permissions of a system's controllers: to watch their kinds, to write status and finalizers of the
 * kinds they reconcile, to record Events, to register webhooks; and the declared `permissions` of the system. Nothing
 * more: a controller that reads an object with `client.get` declares it in `permissions`. Permissions in their own
 * namespace are in `namespaceRoleFor`; CRDs are left to the installation of the system.
 */
export function clusterRoleFor(system: System, name: string = `tektite-${system.name}`): ClusterRole {
  const rules = new RuleSet();
  for (const { kind, finalizer, sources = [] } of system.controllers) {
    rules.allow(kind, follow);
    if (finalizer) rules.allow(kind, ['patch']);
    // Not a separate request: where owner references are guarded, the server checks this permission before one is
    // written.
    if (sources.some(({ owns }) => owns)) rules.allow(kind, ['update'], 'finalizers');
    if (kind.subresources.status) rules.allow(kind, ['patch'], 'status');
    for (const { watches } of sources) if (watches) rules.allow(watches, follow);
  }
  const events: PolicyRule = { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] };
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: [...rules.list(), events, ...webhookRules(system.webhooks ?? []), ...(system.permissions ?? [])],
  };
}

/** Registering webhooks: their own configurations by name; to create something cannot be allowed by name. */
function webhookRules(webhooks: readonly Webhook[]): readonly PolicyRule[] {
  const rules: PolicyRule[] = [];
  const apiGroups = ['admissionregistration.k8s.io'];
  const configurations = webhookConfigurations(webhooks, { service: { namespace: '', name: '' } });
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    const resourceNames = configurations
      .filter((each) => each.kind === kind)
      .map(({ metadata }) => metadata.name ?? '');
    const resources = [`${kind.toLowerCase()}s`];
    if (resourceNames.length === 0) continue;
    rules.push({ apiGroups, resources, verbs: ['create'] });
    rules.push({ apiGroups, resources, resourceNames, verbs: ['get', 'update'] });
  }
  const converted = webhooks.flatMap((webhook) =>
    webhook.type === 'conversion' ? webhook.rules.map(({ kind: { plural, group } }) => `${plural}.${group}`) : [],
  );
  if (converted.length > 0)
    rules.push({
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      resourceNames: converted,
      verbs: ['get', 'patch'],
    });
  return rules;
}

/** Rules by resource, each verb once. */
class RuleSet {
  private readonly verbs = new Map<
    string,
    { readonly group: string; readonly resource: string; readonly verbs: Set<string> }
  >();

  allow({ group, plural }: Pick<Kind, 'group' | 'plural'>, verbs: readonly string[], subresource?: string): void {
    const resource = subresource ? `${plural}/${subresource}` : plural;
    const id = `${group}/${resource}`;
    const entry = this.verbs.get(id) ?? { group, resource, verbs: new Set<string>() };
    for (const verb of verbs) entry.verbs.add(verb);
    this.verbs.set(id, entry);
  }

  list(): readonly PolicyRule[] {
    return [...this.verbs.values()].map(({ group, resource, verbs }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: [...verbs].sort(),
    }));
  }
}
