import type { ApiServer } from '@tektite/apiserver';
import type { KubeObject } from '@tektite/meta';
import type { Service, ServiceCIDR } from '@tektite/schema/kubernetes';
import { movedAddress } from './network-addresses.ts';

/**
 * Gives Services of a data folder addresses of the range that is used now. They have others when the folder was used before with another
 * kind of network; nothing that is running knows these.
 */
export async function moveServices(server: ApiServer, range: string): Promise<void> {
  const cidr = server.storage.latest('/registry/servicecidrs/kubernetes')?.value as ServiceCIDR | undefined;
  if (cidr?.spec?.cidrs?.[0] !== undefined && cidr.spec.cidrs[0] !== range)
    await server.restore({ ...cidr, spec: { ...cidr.spec, cidrs: [range] } } as KubeObject);
  for (const { value } of server.storage.list('/registry/services/').entries) {
    const service = value as Service;
    const addresses = (service.spec?.clusterIPs ?? []).map((address) => movedAddress(address, range) ?? address);
    const [clusterIP] = addresses;
    if (clusterIP === undefined || clusterIP === service.spec?.clusterIP) continue;
    await server.restore({ ...service, spec: { ...service.spec, clusterIP, clusterIPs: addresses } } as KubeObject);
  }
}
