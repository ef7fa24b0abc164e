import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { KeyPair } from './certificates.ts';

/** The contents of a certificate. */
export interface CertificateFacts {
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Whether it stands for this name or address. */
  isFor(host: string): boolean;
  /** Whether an authority of this certificate signed it. */
  isSignedBy(authority: string): boolean;
}

/** Reads the first certificate of a PEM text; `undefined` when there is none that can be read. */
export function readCertificate(pem: string): CertificateFacts | undefined {
  const certificate = parse(pem);
  if (!certificate) return undefined;
  return {
    notBefore: Date.parse(certificate.validFrom),
    notAfter: Date.parse(certificate.validTo),
    isFor: (host) => (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined,
    isSignedBy: (authority) => {
      const issuer = parse(authority);
      return issuer !== undefined && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
    },
  };
}

/** Whether the key is that of the certificate. */
export function isKeyPair({ certificate, key }: KeyPair): boolean {
  try {
    return parse(certificate)?.checkPrivateKey(createPrivateKey(key)) ?? false;
  } catch {
    return false;
  }
}

/** The certificates of a bundle, each with its line break. What stands between them is dropped. */
export function splitCertificates(bundle: string): readonly string[] {
  const found = bundle.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? [];
  return found.map((pem) => `${pem}\n`);
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
