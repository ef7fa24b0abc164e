import { createSelfSigned } from '@tektite/certificates';
import { type Client, kinds } from '@tektite/client';
import type { TlsOptions } from '@tektite/http';
import { isStatusError } from '@tektite/meta';

const secretName = 'tekton-results-tls';
const validForMs = 365 * 86_400_000;

/** The certificate of the Secret that upstream has it in. Without one, a new one, which clients find there. */
export async function serverCertificate(
  client: Client,
  namespace: string,
  hosts: readonly string[],
): Promise<TlsOptions> {
  const key = { namespace, name: secretName };
  const known = await client.getOrUndefined(kinds.Secret, key);
  if (known) return tlsOf(known.data);
  const name = `tekton-results-api-service.${namespace}.svc.cluster.local`;
  const made = await createSelfSigned({ commonName: name, hosts: [name, ...hosts] }, client.clock, { validForMs });
  const stringData = { 'tls.crt': made.certificate, 'tls.key': made.key };
  try {
    await client.create(kinds.Secret, { metadata: key, type: 'kubernetes.io/tls', stringData });
    return made;
  } catch (error) {
    // Another process was faster.
    if (!isStatusError(error, 'AlreadyExists')) throw error;
    return tlsOf((await client.get(kinds.Secret, key)).data);
  }
}

function tlsOf(data: Readonly<Record<string, string>> = {}): TlsOptions {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
  return { certificate: text('tls.crt'), key: text('tls.key') };
}
