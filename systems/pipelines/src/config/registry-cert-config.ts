import { X509Certificate } from 'node:crypto';
import { customConfig } from '@tektite/controller/config';

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Certificate authorities that registries and sinks of CloudEvents are checked against, besides the usual ones: the key `cert` of the
 * ConfigMap `config-registry-cert`. What is no certificate is skipped, as Go does.
 */
export const registryCertConfig = customConfig('config-registry-cert', (data) => {
  const text = Object.hasOwn(data, 'cert') ? (data['cert'] ?? '') : '';
  return { authorities: (text.match(block) ?? []).filter(isCertificate).join('\n') };
});

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
