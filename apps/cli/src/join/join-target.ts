import { createHash, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { splitCertificates } from '@tektite/certificates';
import { type Client, kinds } from '@tektite/client';
import { UserError } from '../user-error.ts';
import type { JoinTarget } from './join-objects.ts';

/**
 * The cluster as other machines see it: the endpoint of the Service `kubernetes`, or the one that the user names, and the
 * authorities of its certificate.
 */
export async function readJoinTarget(client: Client, given: string | undefined): Promise<JoinTarget> {
  const [endpoints, service, root, ranges, version] = await Promise.all([
    client.getOrUndefined(kinds.Endpoints, { namespace: 'default', name: 'kubernetes' }),
    client.get(kinds.Service, { namespace: 'default', name: 'kubernetes' }),
    client.getOrUndefined(kinds.ConfigMap, { namespace: 'kube-system', name: 'kube-root-ca.crt' }),
    client.list(kinds.ServiceCIDR),
    client.request({ method: 'GET', path: '/version' }),
  ]);
  const { addresses, ports } = endpoints?.subsets?.[0] ?? {};
  const host = addresses?.[0]?.ip ?? '';
  const endpoint = given ?? `${isIP(host) === 6 ? `[${host}]` : host}:${ports?.[0]?.port ?? 6443}`;
  if (given === undefined && (host === '' || isLoopback(host)))
    throw new UserError(
      'other machines do not reach this control plane: it listens on loopback. Start it with `tektite up --host 0.0.0.0`, or name its address with --server host:port',
    );
  const authorities = root?.data?.['ca.crt'];
  if (!authorities)
    throw new UserError(
      'the ConfigMap kube-root-ca.crt of kube-system does not exist: do the built-in controllers run? Not with --api-only',
    );
  const serviceSubnet = ranges.items[0]?.spec?.cidrs?.[0] ?? '10.96.0.0/20';
  return {
    endpoint,
    authorities,
    kubernetesVersion: ((version.body as { gitVersion?: string }).gitVersion ?? '').replace(/\+.*$/, ''),
    serviceSubnet,
    dnsAddress: dnsAddress(service.spec?.clusterIP ?? ''),
  };
}

/** The tenth address of the range of Services, whose first is that of the API: the place of the name server by convention. */
function dnsAddress(api: string): string {
  return api.replace(/[0-9]+$/, '10');
}

function isLoopback(host: string): boolean {
  return host.startsWith('127.') || host === '::1';
}

/** The command that joins a machine. The hashes are those of the keys of the authorities. */
export function joinCommand({ endpoint, authorities }: JoinTarget, token: string): string {
  const hashes = splitCertificates(authorities).map((pem) => {
    const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
    return ` --discovery-token-ca-cert-hash sha256:${createHash('sha256').update(key).digest('hex')}`;
  });
  return `kubeadm join ${endpoint} --token ${token}${hashes.join('')}`;
}
