import { StatusError } from '@tektite/meta';
import type { Node } from '@tektite/schema/kubernetes';
import { isGlobalUnicast } from './is-global-unicast.ts';

/** Where a kubelet serves its API. */
export interface KubeletAddress {
  readonly host: string;
  readonly port: number;
}

/** The order in which kubeadm has kube-apiserver try them (`--kubelet-preferred-address-types`). */
const preferred = ['InternalIP', 'ExternalIP', 'Hostname'];
const defaultPort = 10_250;

/**
 * The address of a node's kubelet, as its status says. A node writes that status itself: addresses of this machine alone are
 * denied, since they would open a way to programs that only this process reaches.
 */
export function kubeletAddress({ status }: Node): KubeletAddress {
  const addresses = status?.addresses ?? [];
  const found = preferred
    .map((type) => addresses.find((each) => each.type === type))
    .find((each) => each !== undefined && each.address !== '');
  if (!found) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
    throw new StatusError({
      code: 500,
      reason: '',
      message: `no preferred addresses found; known addresses: [${known}]`,
    });
  }
  if (found.type !== 'Hostname' && !isGlobalUnicast(found.address))
    throw new StatusError({ code: 400, reason: 'BadRequest', message: 'address not allowed' });
  return { host: found.address, port: status?.daemonEndpoints?.kubeletEndpoint?.Port || defaultPort };
}
