import { type Client, kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import type { ConfigMap, Secret, Service } from '@tektite/schema/kubernetes';

/** A Pod refers to an object that does not exist. The message is a kubelet's. */
export class MissingObjectError extends Error {}

/** Where the ConfigMaps, Secrets and Services of Pods come from. */
export interface ObjectSource {
  /** Rejects with a {@link MissingObjectError} when there is none. */
  configMap(namespace: string, name: string): Promise<ConfigMap>;
  secret(namespace: string, name: string): Promise<Secret>;
  services(namespace: string): Promise<readonly Service[]>;
}

/** Asks the server each time: a Pod that starts shall see what is there now. */
export function clientObjects(client: Client): ObjectSource {
  const orMissing = (what: string) => (error: unknown) => {
    throw isStatusError(error, 'NotFound') ? new MissingObjectError(`${what} not found`, { cause: error }) : error;
  };
  return {
    configMap: (namespace, name) =>
      client.get(kinds.ConfigMap, { namespace, name }).catch(orMissing(`configmap ${JSON.stringify(name)}`)),
    secret: (namespace, name) =>
      client.get(kinds.Secret, { namespace, name }).catch(orMissing(`secret ${JSON.stringify(name)}`)),
    services: async (namespace) => (await client.list(kinds.Service, { namespace })).items,
  };
}
