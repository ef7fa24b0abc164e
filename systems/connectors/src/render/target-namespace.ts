import { injectNamespace, type Manifest, type Scopes, type Transform } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';

const injectCaFrom = 'cert-manager.io/inject-ca-from';

/** The namespace that a payload was written for: the one that most of its objects name. */
export function writtenFor(objects: readonly DynamicObject[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { metadata } of objects)
    if (metadata.namespace) counts.set(metadata.namespace, (counts.get(metadata.namespace) ?? 0) + 1);
  let best: string | undefined;
  for (const [namespace, count] of counts) if (count > (counts.get(best ?? '') ?? 0)) best = namespace;
  return best;
}

/**
 * A payload in another namespace: its objects, what refers to them, names in certificates. The namespace that it was written for is
 * left out, as the one of the Connector is there already; other namespaces it brings keep their names.
 */
export function intoNamespace(payload: Manifest, target: string, scopes: Scopes): Manifest {
  const before = writtenFor(payload.objects);
  const inject = injectNamespace(target, { scopes, environment: {} });
  const move: Transform = function namespace(draft, origin) {
    if (isNamespace(draft)) return;
    inject(draft, origin);
    const { annotations } = draft.metadata;
    const from = annotations?.[injectCaFrom];
    if (annotations && from?.includes('/')) annotations[injectCaFrom] = `${target}${from.slice(from.indexOf('/'))}`;
    if (draft.kind === 'Certificate' && draft.apiVersion.startsWith('cert-manager.io/'))
      renameInCertificate(draft, before, target);
  };
  return payload
    .filter((object) => !isNamespace(object) || ![before, target].includes(object.metadata.name))
    .transform(move);
}

function isNamespace({ apiVersion, kind }: DynamicObject): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}

/** `webhook.old.svc` becomes `webhook.new.svc`; names outside of the cluster stay. */
function renameInCertificate(draft: DynamicObject, before: string | undefined, target: string): void {
  const { dnsNames } = (draft.spec ?? {}) as { dnsNames?: unknown };
  if (!Array.isArray(dnsNames)) return;
  dnsNames.forEach((name: unknown, index) => {
    if (typeof name !== 'string') return;
    const parts = name.split('.');
    if (parts.length < 2 || (parts[1] !== before && parts[2] !== 'svc')) return;
    dnsNames[index] = parts.with(1, target).join('.');
  });
}
