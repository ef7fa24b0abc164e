import { randomBytes } from 'node:crypto';
import { createSelfSigned } from '@tektite/certificates';
import { type Client, kinds } from '@tektite/client';
import { controllerReference, isStatusError } from '@tektite/meta';
import type { ObservedComponent } from '../component/observed-component.ts';
import type { TektonResult } from '../kinds/kinds.ts';

const databaseSecret = 'tekton-results-postgres';
const tlsSecret = 'tekton-results-tls';
const encode = (text: string) => Buffer.from(text).toString('base64');

/** Makes the password of the database and the certificate of the server, unless they are there. Says what the user has to make. */
export async function prepareResultSecrets(
  observed: ObservedComponent<TektonResult>,
  client: Client,
): Promise<string | undefined> {
  const { namespace, spec, component, services } = observed;
  const given = spec.db_secret_name;
  if (spec.is_external_db || given) {
    const name = given || databaseSecret;
    if (!(await exists(client, namespace, name))) return `${name} secret is missing`;
  } else
    await create(client, namespace, databaseSecret, {
      metadata: { ownerReferences: [controllerReference(component)] },
      type: 'Opaque',
      data: { POSTGRES_USER: encode('result'), POSTGRES_PASSWORD: encode(randomBytes(20).toString('base64')) },
    });
  // On OpenShift the platform makes it, for the Service that asks for it.
  if (services.platform === 'openshift' || (await exists(client, namespace, tlsSecret))) return undefined;
  const host = `tekton-results-api-service.${namespace}.svc.cluster.local`;
  const { certificate, key } = await createSelfSigned({ commonName: host, hosts: [host] }, client.clock, {
    validForMs: 365 * 24 * 3_600_000,
  });
  await create(client, namespace, tlsSecret, {
    metadata: {},
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': encode(certificate), 'tls.key': encode(key) },
  });
  return undefined;
}

async function exists(client: Client, namespace: string, name: string): Promise<boolean> {
  return (await client.getOrUndefined(kinds.Secret, { namespace, name })) !== undefined;
}

interface SecretFields {
  readonly metadata: object;
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

async function create(client: Client, namespace: string, name: string, fields: SecretFields): Promise<void> {
  if (await exists(client, namespace, name)) return;
  try {
    await client.create(kinds.Secret, { ...fields, metadata: { ...fields.metadata, namespace, name } });
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
}
