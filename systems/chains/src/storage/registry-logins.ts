import { type Client, ignoreNotFound, kinds } from '@tektite/client';
import {
  type ImageReference,
  type Login,
  loginsIn,
  machineLogins,
  parseDockerAuths,
  parseDockerCfg,
} from '@tektite/oci';
import type { Secret } from '@tektite/schema/kubernetes';

export interface LoginRequest {
  readonly namespace: string;
  /** The service account of the run; empty for the default one. */
  readonly account: string;
  readonly image: ImageReference;
}

/** The login of the run's service account for a registry; else one of this machine's. Pull secrets do not count, as upstream. */
export async function loginOf(
  client: Client,
  { namespace, account, image }: LoginRequest,
  signal: AbortSignal,
): Promise<Login | undefined> {
  const found = await client.get(kinds.ServiceAccount, { namespace, name: account || 'default' }).catch(ignoreNotFound);
  for (const { name = '' } of found?.secrets ?? []) {
    const secret = await client.get(kinds.Secret, { namespace, name }).catch(ignoreNotFound);
    const [login] = secret === undefined ? [] : loginsIn(authsOf(secret), image);
    if (login !== undefined) return login;
  }
  const [login] = await machineLogins(image, signal);
  return login;
}

function authsOf({ type, data = {} }: Secret): ReturnType<typeof parseDockerAuths> {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
  return type === 'kubernetes.io/dockercfg'
    ? parseDockerCfg(text('.dockercfg'))
    : parseDockerAuths(text('.dockerconfigjson'));
}
