import { type Client, kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';

export interface SecretPlace {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** One value of a Secret, such as a token. Errors name the Secret and the key, never the value. */
export async function readSecretValue(
  { namespace, name, key }: { readonly namespace: string; readonly name: string; readonly key: string },
  { client, signal }: SecretPlace,
): Promise<string> {
  let data: Readonly<Record<string, string>>;
  try {
    const secret = await client.get(kinds.Secret, { namespace, name }, { signal });
    data = (secret.data ?? {}) as Readonly<Record<string, string>>;
  } catch (cause) {
    if (!isStatusError(cause)) throw cause;
    if (cause.code === 404)
      throw new Error(`cannot get API token, secret ${name} not found in namespace ${namespace}`, { cause });
    throw new Error(`error reading API token from secret ${name} in namespace ${namespace}: ${cause.message}`, {
      cause,
    });
  }
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined)
    throw new Error(`cannot get API token, key ${key} not found in secret ${name} in namespace ${namespace}`);
  return Buffer.from(value, 'base64').toString('utf8');
}
