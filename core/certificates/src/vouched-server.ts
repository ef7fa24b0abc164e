import { X509Certificate } from 'node:crypto';
import { splitCertificates } from './read-certificate.ts';

const serverAuthentication = '1.3.6.1.5.5.7.3.1';

/**
 * Reports whether one of the authorities signed a server's certificate, and both are valid now. It does not check the
 * host name.
 *
 * This is for certificates that OpenSSL calls self-signed because subject and issuer have one name and no key
 * identifier distinguishes them. Go checks signatures instead, so programs in Go make and accept them: knative's
 * webhooks do.
 */
export function isVouchedServer(shown: X509Certificate, authorities: string, now: number): boolean {
  const usages = shown.keyUsage as readonly string[] | undefined;
  if (usages && !usages.includes(serverAuthentication)) return false;
  return isValid(shown, now) && splitCertificates(authorities).some((pem) => hasSigned(pem, shown, now));
}

function hasSigned(pem: string, shown: X509Certificate, now: number): boolean {
  try {
    const authority = new X509Certificate(pem);
    return authority.ca && isValid(authority, now) && shown.checkIssued(authority) && shown.verify(authority.publicKey);
  } catch {
    // An entry of the bundle that is no certificate authenticates no server.
    return false;
  }
}

function isValid({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}
