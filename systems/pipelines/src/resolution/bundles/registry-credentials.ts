import { type Client, kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { trimSlashes } from '../trim-slashes.ts';
import type { ImageReference, Login } from '@tektite/oci';

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
    .catch(ignoreMissing);
  const listed = (account?.imagePullSecrets ?? []).map(({ name = '' }) => name);
  const names = [...(secret === '' ? [] : [secret]), ...listed];
  for (const name of names) {
    const found = await client.get(kinds.Secret, { namespace, name }, { signal }).catch(ignoreMissing);
    const login = found && loginIn((found.data ?? {}) as Readonly<Record<string, string>>, image);
    if (login) return login;
  }
  return undefined;
}

function ignoreMissing(error: unknown): undefined {
  if (!isStatusError(error, 'NotFound')) throw error;
}

interface Entry {
  readonly auth?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
}

/** The longest entry that fits: one for a repository before one for its registry. */
function loginIn(data: Readonly<Record<string, string>>, image: ImageReference): Login | undefined {
  const place = `${image.registry}/${image.repository}/`;
  const fitting = Object.entries(entriesIn(data))
    .map(([key, entry]) => ({ key: normalKey(key), entry }))
    .filter(({ key }) => place.startsWith(`${key}/`))
    .sort((a, b) => b.key.length - a.key.length);
  return fitting.map(({ entry }) => readEntry(entry)).find((login) => login !== undefined);
}

function entriesIn(data: Readonly<Record<string, string>>): Readonly<Record<string, Entry>> {
  try {
    if (data['.dockerconfigjson'])
      return (decode(data['.dockerconfigjson']) as { auths?: Record<string, Entry> }).auths ?? {};
    return data['.dockercfg'] ? (decode(data['.dockercfg']) as Record<string, Entry>) : {};
  } catch {
    return {};
  }
}

const decode = (text: string) => (JSON.parse(Buffer.from(text, 'base64').toString('utf8')) ?? {}) as unknown;

function normalKey(key: string): string {
  const host = trimSlashes(key.replace(/^https?:\/\//, '')).replace(/\/v[12]$/, '');
  return host === 'docker.io' ? 'index.docker.io' : host;
}

function readEntry({ auth, username, password }: Entry): Login | undefined {
  if (typeof username === 'string' && typeof password === 'string') return { username, password };
  if (typeof auth !== 'string') return undefined;
  const text = Buffer.from(auth, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
