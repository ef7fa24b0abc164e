import type { DynamicObject } from '@tektite/meta';
import { isMapping, listAt, mappingAt } from '../field-value.ts';
import type { DraftObject, Transform } from '../manifest.ts';
import { knownScopes, type Scopes } from '../scopes.ts';

export interface InjectNamespaceOptions {
  /** Which kinds are in namespaces. Default: what is known without a cluster; kinds unknown there count as namespaced. */
  readonly scopes?: Scopes;
  /** Objects with this annotation are left as they are. */
  readonly skipAnnotation?: string;
  /** For `$NAME` as the namespace. Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Moves objects into a namespace, with what refers to it: subjects of bindings, services of webhooks, of API services and of
 * conversions. Namespaces themselves get the name. References that name no namespace are left alone.
 */
export function injectNamespace(namespace: string, options: InjectNamespaceOptions = {}): Transform {
  const { scopes = knownScopes(), skipAnnotation, environment = process.env } = options;
  const wanted = /^\$./.test(namespace) ? (environment[namespace.slice(1)] ?? '') : namespace;
  return function injectNamespace(draft) {
    if (skipAnnotation && draft.metadata.annotations?.[skipAnnotation] !== undefined) return;
    if ((scopes.of(draft) ?? 'Namespaced') === 'Namespaced') draft.metadata.namespace = wanted;
    const move = movers[draft.kind.toLowerCase()];
    if (move) for (const part of move(draft)) if (part && Object.hasOwn(part, 'namespace')) part.namespace = wanted;
    if (draft.kind === 'Namespace') draft.metadata.name = wanted;
  };
}

type Part = Record<string, unknown> | undefined;

/** The parts of each kind that name a namespace. */
const movers: Readonly<Record<string, (draft: DraftObject) => readonly Part[]>> = {
  rolebinding: subjects,
  clusterrolebinding: subjects,
  mutatingwebhookconfiguration: webhookServices,
  validatingwebhookconfiguration: webhookServices,
  apiservice: (draft) => [mappingAt(draft, 'spec', 'service')],
  customresourcedefinition: (draft) => [
    draft.apiVersion === 'apiextensions.k8s.io/v1'
      ? mappingAt(draft, 'spec', 'conversion', 'webhook', 'clientConfig', 'service')
      : mappingAt(draft, 'spec', 'conversion', 'webhookClientConfig', 'service'),
  ],
};

function subjects(draft: DynamicObject): readonly Part[] {
  return listAt(draft, 'subjects').filter(isMapping);
}

function webhookServices(draft: DynamicObject): readonly Part[] {
  return listAt(draft, 'webhooks').map((webhook) => mappingAt(webhook, 'clientConfig', 'service'));
}
