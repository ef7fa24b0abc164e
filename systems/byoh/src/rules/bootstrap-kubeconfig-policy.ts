import { type FieldError, invalid, FieldPath } from '@tektite/meta';
import type { BootstrapKubeconfig } from '../kinds/bootstrap-kubeconfig.ts';

/** Validates a BootstrapKubeconfig: the first error, in upstream's order and words. */
export function validateBootstrapKubeconfig({ spec }: BootstrapKubeconfig): FieldError | undefined {
  const { apiserver = '', 'certificate-authority-data': authority = '' } = spec ?? {};
  const path = FieldPath.of('spec');
  const violation = serverViolation(apiserver);
  if (violation !== undefined) return invalid(path.child('apiserver'), apiserver, violation);
  const other = authorityViolation(authority);
  // The path is upstream's, though the field has another name.
  return other === undefined ? undefined : invalid(path.child('caData'), authority, other);
}

function serverViolation(text: string): string | undefined {
  if (text === '') return 'APIServer field cannot be empty';
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
      ? 'APIServer URL is not valid'
      : 'APIServer is not of the format https://hostname:port';
  }
  const hasPort = /^[a-z]+:\/\/(?:\[[^\]]*\]|[^/?#:]*):\d+(?:[/?#]|$)/i.test(text);
  return url.protocol === 'https:' && url.hostname !== '' && hasPort
    ? undefined
    : 'APIServer is not of the format https://hostname:port';
}

function authorityViolation(text: string): string | undefined {
  if (text === '') return 'CertificateAuthorityData field cannot be empty';
  const stripped = text.replaceAll(/[\r\n]/g, '');
  if (stripped.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(stripped))
    return 'cannot base64 decode CertificateAuthorityData';
  const pem = Buffer.from(stripped, 'base64').toString('latin1');
  return /-----BEGIN [A-Z0-9 ]+-----\r?\n[\s\S]*?-----END [A-Z0-9 ]+-----/.test(pem)
    ? undefined
    : 'CertificateAuthorityData is not PEM encoded';
}
