import { type Client, kinds, ignoreNotFound } from '@tektite/client';
import { type ImageReference, type Login, loginsIn, parseDockerAuths, parseDockerCfg } from '@tektite/oci';

export interface CredentialPlace {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Whose logins count. */
export interface Whose {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** A Secret that counts besides those of the service account. */
  readonly secret: string;
}

/** The login for an image, from the pull secrets of a service account. Without any, registries are asked without a name. */
export async function loginFor(
  image: ImageReference,
  { namespace, serviceAccount, secret }: Whose,
  { client, signal }: CredentialPlace,
): Promise<Login | undefined> {
  const account = await client
    .get(kinds.ServiceAccount, { namespace, name: serviceAccount }, { signal })
    .catch(ignoreNotFound);
  const listed = (account?.imagePullSecrets ?? []).map(({ name = '' }) => name);
  const names = [...(secret === '' ? [] : [secret]), ...listed];
  for (const name of names) {
    const found = await client.getOrUndefined(kinds.Secret, { namespace, name }, { signal });
    const login = found && loginIn((found.data ?? {}) as Readonly<Record<string, string>>, image);
    if (login) return login;
  }
  return undefined;
}

/** The most specific login for the image: one for its repository before one for its registry. */
function loginIn(data: Readonly<Record<string, string>>, image: ImageReference): Login | undefined {
  const { '.dockerconfigjson': config, '.dockercfg': older } = data;
  const auths = config ? parseDockerAuths(decode(config)) : older ? parseDockerCfg(decode(older)) : {};
  return loginsIn(auths, image)[0];
}

const decode = (text: string) => Buffer.from(text, 'base64').toString('utf8');
