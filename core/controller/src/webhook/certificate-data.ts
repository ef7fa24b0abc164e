import { isKeyPair, readCertificate, splitCertificates } from '@tektite/certificates';

/** A serving certificate and those who vouch for it, PEM. */
export interface WebhookCertificate {
  readonly certificate: string;
  readonly key: string;
  /** All authorities that clients should trust: the one that signed, and those before it while they last. */
  readonly authorities: string;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
}

/** The keys of the Secret, as Knative names them. */
export const certificateKeys = {
  authorities: 'ca-cert.pem',
  certificate: 'server-cert.pem',
  key: 'server-key.pem',
} as const;

export interface CertificateRequirements {
  readonly now: number;
  readonly hosts: readonly string[];
  /** How much of its time a certificate must have left. */
  readonly renewBeforeMs: number;
}

/** The action for the existing certificates. */
export type CertificateAssessment =
  | { readonly keep: WebhookCertificate }
  /** `reason` completes the sentence "a new certificate is needed because ...". */
  | { readonly keep?: undefined; readonly reason: string };

type SecretData = Readonly<Record<string, string>> | undefined;

/** Assesses the (base64) data of a Secret. Pure. */
export function assessCertificates(data: SecretData, requirements: CertificateRequirements): CertificateAssessment {
  const [authorities, certificate, key] = [
    textOf(data, certificateKeys.authorities),
    textOf(data, certificateKeys.certificate),
    textOf(data, certificateKeys.key),
  ];
  if (authorities === '' || certificate === '' || key === '') return { reason: 'there is none' };
  const facts = readCertificate(certificate);
  if (!facts || !isKeyPair({ certificate, key })) return { reason: 'the one there cannot be read' };
  if (facts.notAfter <= requirements.now) return { reason: 'the one there has expired' };
  if (facts.notAfter - requirements.now < requirements.renewBeforeMs) return { reason: 'the one there expires soon' };
  if (facts.notBefore > requirements.now) return { reason: 'the one there is not valid yet' };
  const stranger = requirements.hosts.find((host) => !facts.isFor(host));
  if (stranger !== undefined) return { reason: `the one there is not for ${stranger}` };
  const issuer = splitCertificates(authorities).find((authority) => facts.isSignedBy(authority));
  if (issuer === undefined) return { reason: 'no authority signed the one there' };
  if ((readCertificate(issuer)?.notAfter ?? 0) <= requirements.now) return { reason: 'its authority has expired' };
  return { keep: { certificate, key, authorities, notAfter: facts.notAfter } };
}

/** More than this many former authorities are of no use: each lasted longer than everything it signed. */
const maxFormer = 3;

/** The new authority first, and those before it that have not expired. */
export function joinAuthorities(newest: string, data: SecretData, now: number): string {
  const former = splitCertificates(textOf(data, certificateKeys.authorities)).filter(
    (authority) => (readCertificate(authority)?.notAfter ?? 0) > now,
  );
  return [newest, ...former.slice(0, maxFormer)].join('');
}

function textOf(data: SecretData, key: string): string {
  return Buffer.from(data?.[key] ?? '', 'base64').toString('utf8');
}
