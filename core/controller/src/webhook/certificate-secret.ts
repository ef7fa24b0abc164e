import { createAuthority, issueCertificate } from '@tektite/certificates';
import { type Client, kinds, isConflict, ignoreNotFound, retryOnConflict } from '@tektite/client';
import type { Secret } from '@tektite/schema/kubernetes';
import { ControllerError } from '../controller-error.ts';
import { assessCertificates, certificateKeys, joinAuthorities, type WebhookCertificate } from './certificate-data.ts';

export interface CertificateSecretOptions {
  readonly client: Client;
  readonly secret: { readonly namespace: string; readonly name: string };
  /** Names by which the API server calls the webhooks. */
  readonly hosts: readonly string[];
  /** How long certificates are valid. Default 30 days. */
  readonly validForMs?: number;
  /** They are renewed when they have less than this left. Default a third of `validForMs`. */
  readonly renewBeforeMs?: number;
  /** Labels of a Secret that has to be created. */
  readonly labels?: Readonly<Record<string, string>>;
}

const day = 24 * 60 * 60 * 1000;
const defaultValidForMs = 30 * day;
/** After a lost race the winner's write is read; more losses than this do not happen. */
const attempts = 10;

/**
 * Returns the certificate that all replicas of a webhook share. It is kept in a Secret, and created there when it is
 * missing, unusable, for other names, or about to expire.
 *
 * Guarantees: of any number of concurrent callers, one creates the certificate and all get the same. With a new
 * certificate comes a new authority, whose key is not kept; former authorities stay in the bundle until they expire, so
 * that a client with the new bundle also trusts replicas that still serve the old certificate. Other keys of the Secret
 * are left alone.
 *
 * Rejects with `CERTIFICATE_FAILED`.
 */
export async function ensureCertificate(
  options: CertificateSecretOptions,
  signal?: AbortSignal,
): Promise<WebhookCertificate> {
  const { namespace, name } = options.secret;
  try {
    return await retryOnConflict(async () => certificateOf(options, await findSecret(options, signal), signal), {
      attempts,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = isConflict(cause)
      ? `others keep changing the Secret ${namespace}/${name}`
      : `the certificates in Secret ${namespace}/${name}: ${reason}`;
    throw new ControllerError('CERTIFICATE_FAILED', message, { cause });
  }
}

async function findSecret(
  { client, secret }: CertificateSecretOptions,
  signal?: AbortSignal,
): Promise<Secret | undefined> {
  return await client.getOrUndefined(kinds.Secret, secret, signal ? { signal } : {});
}

/** The certificate in the Secret, or a new one that was written into it. Rejects with a conflict after a concurrent write. */
async function certificateOf(
  options: CertificateSecretOptions,
  found: Secret | undefined,
  signal?: AbortSignal,
): Promise<WebhookCertificate> {
  const { hosts, validForMs = defaultValidForMs, renewBeforeMs = validForMs / 3 } = options;
  const now = options.client.clock.now();
  const { keep } = assessCertificates(found?.data, { now, hosts, renewBeforeMs });
  if (keep) return keep;
  const made = await makeCertificate(options, found, validForMs);
  // A Secret that was deleted meanwhile is recreated; without its namespace that is not possible.
  return (await store(options, found, made, signal)) ? made : certificateOf(options, undefined, signal);
}

async function makeCertificate(
  { client: { clock }, hosts, secret }: CertificateSecretOptions,
  found: Secret | undefined,
  validForMs: number,
): Promise<WebhookCertificate> {
  const now = clock.now();
  const authority = await createAuthority(`${secret.name} ${new Date(now).toISOString()}`, clock, { validForMs });
  const commonName = hosts[0] ?? secret.name;
  const { certificate, key } = await issueCertificate(authority, { commonName, hosts }, clock, { validForMs });
  const authorities = joinAuthorities(authority.certificate, found?.data, now);
  return { certificate, key, authorities, notAfter: now + validForMs };
}

/** Returns undefined when the Secret to update was deleted. */
async function store(
  { client, secret, labels }: CertificateSecretOptions,
  found: Secret | undefined,
  made: WebhookCertificate,
  signal?: AbortSignal,
): Promise<Secret | undefined> {
  const data = {
    ...found?.data,
    [certificateKeys.authorities]: encode(made.authorities),
    [certificateKeys.certificate]: encode(made.certificate),
    [certificateKeys.key]: encode(made.key),
  };
  const call = signal ? { signal } : {};
  if (found) return await client.update(kinds.Secret, { ...found, data }, call).catch(ignoreNotFound);
  const metadata = { ...secret, ...(labels ? { labels } : {}) };
  return await client.create(kinds.Secret, { metadata, type: 'Opaque', data }, call);
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
