import { createHash } from 'node:crypto';
import { createSigningRequest, isRequestFor } from '@tektite/certificates';
import { type Client, kinds } from '@tektite/client';
import { isStatusError, sleep } from '@tektite/meta';
import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';
import { clientSigner, csrPrefix, hostGroup, hostUserPrefix } from '../../wire-names.ts';

export interface CertificateOptions {
  readonly client: Client;
  readonly host: string;
  /** The private key, PEM. */
  readonly key: string;
  /** How long the certificate is to be good for. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** How long to wait for the approval. Default an hour. */
  readonly patienceMs?: number;
  /** Request under a unique name, because the plain one is taken by an older request. */
  readonly isRenewal?: boolean;
}

const pollMs = 1000;
const shortestSeconds = 600;

/**
 * Asks the API for a client certificate for this host, and waits until there is one. The same key gives the same request, so
 * an agent that was stopped while it waited goes on waiting for the same.
 */
export async function requestCertificate(options: CertificateOptions): Promise<string> {
  const { client, host, key, signal } = options;
  if (host === '') throw new Error('hostname is not valid');
  const request = await createSigningRequest(key, {
    commonName: `${hostUserPrefix}${host}`,
    organizations: [hostGroup],
  });
  const plain = `${csrPrefix}${host}`;
  const own = `${plain}-${keyHash(key)}`;
  let name = options.isRenewal ? own : plain;
  let found = await submit(options, name, request);
  if (!(await isRequestFor(textOf(found.spec.request), key)) && name === plain) {
    // A client of this name requested before, with another key: this host before a reinstallation.
    name = own;
    found = await submit(options, name, request);
  }
  if (!(await isRequestFor(textOf(found.spec.request), key)))
    throw new Error(
      `there is a CertificateSigningRequest ${name} with another key; delete it if it is not wanted any more`,
    );
  const until = client.clock.monotonic() + (options.patienceMs ?? 3_600_000);
  for (;;) {
    const { status } = found;
    const bad = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed');
    if (bad)
      throw new Error(`the CertificateSigningRequest ${name} was refused: ${bad.message ?? bad.reason ?? bad.type}`);
    if (status?.certificate) return textOf(status.certificate);
    if (client.clock.monotonic() > until)
      throw new Error(`the CertificateSigningRequest ${name} was not approved in time`);
    await sleep(client.clock, pollMs, signal);
    found = await client.get(kinds.CertificateSigningRequest, { name }, { signal });
  }
}

async function submit(
  { client, seconds, signal }: CertificateOptions,
  name: string,
  request: string,
): Promise<CertificateSigningRequest> {
  const spec = {
    request: Buffer.from(request).toString('base64'),
    signerName: clientSigner,
    usages: ['client auth'],
    expirationSeconds: Math.max(shortestSeconds, seconds),
  };
  try {
    return await client.create(kinds.CertificateSigningRequest, { metadata: { name }, spec }, { signal });
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
    return client.get(kinds.CertificateSigningRequest, { name }, { signal });
  }
}

/** The approver requires exactly this form. */
function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 10);
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
