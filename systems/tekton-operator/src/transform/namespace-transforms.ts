import { type DraftObject, injectNamespace, type Scopes, type Transform } from '@tektite/manifest';
import { isMapping, listAt, mappingAt } from './draft-fields.ts';

/** The namespace that releases are made for. */
export const releaseNamespace = 'tekton-pipelines';

const isTrue = (draft: DraftObject, name: string) =>
  draft.metadata.annotations?.[`operator.tekton.dev/${name}`] === 'true';

/** Everything into the namespace, unless the object says that it stays where it is. */
export function moveToNamespace(namespace: string, scopes: Scopes): Transform {
  const inject = injectNamespace(namespace, { scopes });
  return function moveToNamespace(draft, origin) {
    if (!isTrue(draft, 'preserve-namespace')) inject(draft, origin);
  };
}

/** RoleBindings are moved by a separate rule: their subjects may stay elsewhere. */
export function moveRoleBinding(namespace: string): Transform {
  return function moveRoleBinding(draft) {
    if (!isTrue(draft, 'preserve-namespace')) draft.metadata.namespace = namespace;
    if (isTrue(draft, 'preserve-rb-subject-namespace')) return;
    for (const subject of listAt(draft, 'subjects'))
      if (isMapping(subject) && Object.hasOwn(subject, 'namespace')) subject.namespace = namespace;
  };
}

/** Where an old CustomResourceDefinition, or an interceptor of Triggers, asks. */
export function moveClientConfigs(namespace: string): Transform {
  return function moveClientConfigs(draft) {
    const kind = draft.kind.toLowerCase();
    const service =
      kind === 'customresourcedefinition'
        ? mappingAt(draft, 'spec', 'conversion', 'webhookClientConfig', 'service')
        : kind === 'clusterinterceptor'
          ? mappingAt(draft, 'spec', 'clientConfig', 'service')
          : undefined;
    if (service && Object.hasOwn(service, 'namespace')) service.namespace = namespace;
  };
}

/** Roles that name the release's namespace name the other one. */
export function moveClusterRoles(namespace: string): Transform {
  return function moveClusterRoles(draft) {
    if (draft.kind.toLowerCase() !== 'clusterrole') return;
    for (const rule of listAt(draft, 'rules')) {
      if (!isMapping(rule) || !Array.isArray(rule.resourceNames) || !Array.isArray(rule.resources)) continue;
      if (!rule.resources.some((resource) => String(resource).startsWith('namespaces'))) continue;
      rule.resourceNames = rule.resourceNames.map((name: unknown) => (name === releaseNamespace ? namespace : name));
    }
  };
}

/** So do the selectors of webhooks. */
export function moveWebhookSelectors(namespace: string): Transform {
  return function moveWebhookSelectors(draft) {
    if (draft.kind.toLowerCase() !== 'validatingwebhookconfiguration') return;
    for (const webhook of listAt(draft, 'webhooks'))
      for (const expression of listAt(mappingAt(webhook, 'namespaceSelector'), 'matchExpressions'))
        if (isMapping(expression) && Array.isArray(expression.values))
          expression.values = expression.values.map((value: unknown) =>
            typeof value === 'string' ? value.replaceAll(releaseNamespace, namespace) : value,
          );
  };
}
