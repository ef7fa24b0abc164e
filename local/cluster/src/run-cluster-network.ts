import { type Client, kinds } from '@tektite/client';
import { DnsServer, type PodNetwork, ServiceProxy } from '@tektite/node';
import { isStatusError } from '@tektite/meta';
import { clusterDns } from './network-addresses.ts';
import type { Started } from './start-together.ts';

export interface ClusterNetworkOptions {
  readonly client: Client;
  /** The network of Pods. Absent: the machine's. */
  readonly network: PodNetwork | undefined;
  /** Where the API is on this machine. */
  readonly api: { readonly host: string; readonly port: number };
  readonly onNotice: (text: string) => void;
}

/** Serves the addresses of Services, and their names where Pods have a network. */
export async function runClusterNetwork(options: ClusterNetworkOptions, started: Started): Promise<void> {
  const { client, network, api, onNotice } = options;
  const proxy = new ServiceProxy({
    client,
    ...(network ? { network, api: { address: api.host.replace(/[[\]]/g, ''), port: api.port } } : {}),
    onError: ({ message }) => onNotice(message),
  });
  started.push(async () => proxy[Symbol.asyncDispose]());
  if (network) await createDnsService(client, onNotice);
  await proxy.start();
  if (!network) return;
  const dns = new DnsServer({ network, ...clusterDns, source: proxy.source });
  started.push(async () => dns[Symbol.asyncDispose]());
  await dns.start();
}

/** As clusters have it. Its address is thereby taken. It has no endpoints: the name server is not a Pod. */
async function createDnsService(client: Client, onNotice: (text: string) => void): Promise<void> {
  const key = { namespace: 'kube-system', name: 'kube-dns' };
  try {
    await client.get(kinds.Service, key);
    return;
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
  try {
    await client.create(kinds.Service, {
      metadata: { ...key, labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' } },
      spec: {
        clusterIP: clusterDns.address,
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        ],
      },
    });
  } catch (error) {
    // Another Service has the address; names are answered all the same.
    if (!isStatusError(error, 'Invalid')) throw error;
    onNotice(`there is no Service kube-system/kube-dns: ${error.message}`);
  }
}
