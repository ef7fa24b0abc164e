import type { Transform } from '@tektite/manifest';
import { mappingAt } from './draft-fields.ts';

/** Names of certificates, and where they are injected from, follow the namespace. */
export function moveCertificates(namespace: string): Transform {
  return function moveCertificates(draft) {
    if (draft.kind === 'Certificate') {
      const spec = mappingAt(draft, 'spec');
      if (spec && Array.isArray(spec.dnsNames))
        spec.dnsNames = spec.dnsNames.map((name: unknown) => {
          const parts = String(name).split('.');
          return parts.length < 2 ? name : parts.with(1, namespace).join('.');
        });
    }
    if (draft.kind !== 'MutatingWebhookConfiguration') return;
    const key = 'cert-manager.io/inject-ca-from';
    const parts = draft.metadata.annotations?.[key]?.split('/') ?? [];
    if (parts.length >= 2)
      draft.metadata.annotations = { ...draft.metadata.annotations, [key]: parts.with(0, namespace).join('/') };
  };
}
