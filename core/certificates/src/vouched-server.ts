import { X509Certificate } from 'node:crypto';
import { splitCertificates } from './read-certificate.ts';

const serverAuthentication = '1.3.6.1.5.5.7.3.1';

/**
 * Whether one of the authorities signed a server's certificate itself, and both are valid now. For whom it is good is
 * another question.
 *
 * This is for certificates that OpenSSL calls self-signed because subject and issuer have one name and no key identifier
 * tells them apart. Go looks at signatures instead, so programs in Go make and accept them: knative's webhooks do.
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
    // Something in the bundle that is no certificate vouches for nobody.
    return false;
  }
}

function isValid({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}
