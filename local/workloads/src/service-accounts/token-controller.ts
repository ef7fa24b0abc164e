import { type Client, kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import { metadataOnly } from '@tektite/controller/cache';
import type { Secret, ServiceAccount, TokenRequest } from '@tektite/schema/kubernetes';

const type = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';
/** Upstream's tokens of this old form never expire; these ask for as long as the API may give. */
const validForSeconds = 10 * 365 * 24 * 3600;

const encode = (text: string): string => Buffer.from(text).toString('base64');

/** Fills Secrets that ask for the token of a ServiceAccount, and takes them away with their account. */
export function tokenController(certificate: (() => string) | undefined): ControllerDefinition {
  const accounts = mapped(
    kinds.ServiceAccount,
    ({ metadata }, own) => [...own.keys()].filter((key) => key.startsWith(`${metadata.namespace}/`)),
    { transform: metadataOnly, predicate: ({ type: change }) => change !== 'modified' },
  );
  return defineController({
    name: 'service-account-token',
    kind: kinds.Secret,
    fieldSelector: `type=${type}`,
    sources: [accounts],
    async reconcile(secret, { client, namespace = '', name }) {
      const account = secret.metadata.annotations?.[nameAnnotation];
      if (!account || secret.metadata.deletionTimestamp !== undefined) return;
      const owner = await find(client, namespace, account);
      const uid = secret.metadata.annotations?.[uidAnnotation];
      if (!owner || (uid && uid !== owner.metadata.uid)) return remove(client, secret);
      if (uid && secret.data?.['token'] && secret.data['namespace'] && (!certificate || secret.data['ca.crt'])) return;
      const token = secret.data?.['token'] ?? encode(await requestToken(client, namespace, account));
      const data = { token, namespace: encode(namespace), ...(certificate ? { 'ca.crt': encode(certificate()) } : {}) };
      const { resourceVersion } = secret.metadata;
      const annotations = { [uidAnnotation]: owner.metadata.uid };
      await client.patch(
        kinds.Secret,
        { namespace, name },
        mergePatch({ metadata: { resourceVersion, annotations }, data }),
      );
    },
  });
}

async function find(client: Client, namespace: string, name: string): Promise<ServiceAccount | undefined> {
  return await client.getOrUndefined(kinds.ServiceAccount, { namespace, name });
}

async function remove(client: Client, { metadata }: Secret): Promise<void> {
  const { namespace = '', name = '', uid } = metadata;
  await client.delete(kinds.Secret, { namespace, name }, uid ? { preconditions: { uid } } : {}).catch(ignoreNotFound);
}

async function requestToken(client: Client, namespace: string, name: string): Promise<string> {
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { audiences: [], expirationSeconds: validForSeconds },
  };
  const { status } = await client.createSubresource(kinds.ServiceAccount, { namespace, name }, 'token', request);
  return status?.token ?? '';
}
