import {
  Client,
  httpTransport,
  ignoreNotFound,
  kinds,
  mergePatch,
  parseKubeconfig,
  resolveContext,
} from '@tektite/client';
import { type Random, systemClock } from '@tektite/meta';
import type { Node } from '@tektite/schema/kubernetes';

/** Why a node cannot be a machine's, in words for people. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
}

export type OpenWorkload = (kubeconfig: string) => Promise<Client>;

/**
 * A client for the cluster that a kubeconfig is for. It comes from a Secret, so it is not trusted: programs and files of this
 * machine are none of its business.
 */
export const openWorkload: OpenWorkload = async (kubeconfig) => {
  const config = await parseKubeconfig(kubeconfig, 'of the workload cluster');
  for (const { value } of config.users.values())
    if (value.exec || value.tokenFile || value['client-certificate'] || value['client-key'])
      throw new NodeError(
        'the kubeconfig of the workload cluster names programs or files; it has to have all in itself',
      );
  for (const { value } of config.clusters.values())
    if (value['certificate-authority'])
      throw new NodeError('the kubeconfig of the workload cluster names files; it has to have all in itself');
  return new Client(httpTransport(await resolveContext(config, undefined, systemClock)));
};

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

/** `byoh://host/` and six characters. */
export function newProviderId(host: string, random: Random): string {
  const letters = Array.from(random.bytes(6), (byte) => alphabet[byte % alphabet.length]);
  return `byoh://${host}/${letters.join('')}`;
}

/** The provider ID that a node is to have: its own if it has one, or this one. */
export function providerIdFor(host: string, node: Node, fallback: string): string {
  const own = node.spec?.providerID ?? '';
  if (own === '') return fallback;
  const at = own.indexOf(`byoh://${host}/`);
  if (at < 0 || own.length === at + `byoh://${host}/`.length)
    throw new NodeError(`Node ${host} has the provider ID ${own}, which is not one of ByoHost ${host}`);
  return own;
}

/** Gives the node of a host its provider ID. Answers what it is, and where the node can be reached. */
export async function stampNode(
  client: Client,
  host: string,
  fallback: string,
): Promise<{ readonly providerID: string; readonly addresses: readonly { type: string; address: string }[] }> {
  const node = await client.getOrUndefined(kinds.Node, { name: host });
  if (!node) throw new NodeError(`Node ${host} does not exist`);
  const providerID = providerIdFor(host, node, fallback);
  if (!node.spec?.providerID) await client.patch(kinds.Node, { name: host }, mergePatch({ spec: { providerID } }));
  const addresses = (node.status?.addresses ?? []).map(({ type, address }) => ({ type, address }));
  return { providerID, addresses };
}

/** Deletes the node of a host whose machine never got to know it. One with a provider ID of another provider stays. */
export async function deleteNodeOfHost(client: Client, host: string): Promise<void> {
  const node = await client.getOrUndefined(kinds.Node, { name: host });
  const providerID = node?.spec?.providerID ?? '';
  if (!node || (providerID !== '' && !providerID.startsWith(`byoh://${host}/`))) return;
  const { uid = '' } = node.metadata;
  await client.delete(kinds.Node, { name: host }, { preconditions: { uid } }).catch(ignoreNotFound);
}

/** Deletes the node of a machine. One with another provider ID belongs to another machine by now, and stays. */
export async function deleteNode(client: Client, providerID: string): Promise<void> {
  const name = /byoh:\/\/([^/]+)\//.exec(providerID)?.[1] ?? '';
  const node = name === '' ? undefined : await client.getOrUndefined(kinds.Node, { name });
  if (!node || node.spec?.providerID !== providerID) return;
  const { uid = '' } = node.metadata;
  await client.delete(kinds.Node, { name }, { preconditions: { uid } }).catch(ignoreNotFound);
}
