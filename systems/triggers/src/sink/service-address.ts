import { type Client, ignoreNotFound, kinds } from '@tektite/client';
import type { ResolveHost } from './send-request.ts';

const serviceHost = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc(\.cluster\.local)?$/;

/** Finds the addresses of Services at the API: a process beside the cluster cannot resolve their names. */
export function serviceAddresses(client: Client): ResolveHost {
  return async (host, port) => {
    const [, name, namespace] = serviceHost.exec(host) ?? [];
    if (name === undefined || namespace === undefined) return undefined;
    const service = await client.get(kinds.Service, { namespace, name }).catch(ignoreNotFound);
    const { clusterIP = '', type, externalName } = service?.spec ?? {};
    if (type === 'ExternalName' && externalName) return { host: externalName, port };
    return clusterIP === '' || clusterIP === 'None' ? undefined : { host: clusterIP, port };
  };
}
