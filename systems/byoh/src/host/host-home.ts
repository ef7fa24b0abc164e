import { type Client, kinds } from '@tektite/client';
import { isStatusError, type KubeObject } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { findObject } from '../find-object.ts';

/**
 * The home of a host: the one namespace that its name belongs to. A certificate names the host and no namespace, so a name must
 * never belong to two. The record is a ConfigMap in the namespace of the manager, where tenants cannot write; it outlives the
 * ByoHost, because the certificate does. Rights are derived from it, see `home-controllers.ts`.
 */
const prefix = 'byoh-host-';
const namespaceKey = 'namespace';

/** The name of the record of a host. */
export function homeName(host: string): string {
  return `${prefix}${host}`;
}

/** The host of a record; undefined for other ConfigMaps. */
export function hostOfHome({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.name?.startsWith(prefix) ? metadata.name.slice(prefix.length) : undefined;
}

/** The namespace of a record. Empty when an administrator took all rights from the host. */
export function namespaceOfHome({ data = {} }: Pick<ConfigMap, 'data'>): string {
  return data[namespaceKey] ?? '';
}

/** Reads the home of a host from the API. Undefined when no namespace has the name. */
export async function readHome(
  client: Client,
  records: string,
  host: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const record = await findObject(client, kinds.ConfigMap, records, homeName(host), signal);
  return record && namespaceOfHome(record);
}

/**
 * Gives a name to a namespace unless another has it, and returns the one that has it. The API server accepts one create of a
 * name, so of two namespaces that ask at once one gets it, whichever process asks.
 */
export async function claimHome(
  client: Client,
  records: string,
  host: string,
  namespace: string,
  signal?: AbortSignal,
): Promise<string> {
  const metadata = { name: homeName(host), namespace: records };
  try {
    const data = { [namespaceKey]: namespace };
    await client.create(kinds.ConfigMap, { metadata, data }, signal ? { signal } : {});
    return namespace;
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
    return (await readHome(client, records, host, signal)) ?? claimHome(client, records, host, namespace, signal);
  }
}
