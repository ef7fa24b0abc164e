import type { Client } from '@tektite/client';
import { dynamicKind } from '@tektite/schema';
import { TektonConfig } from '../kinds/tekton-config.ts';
import { type ApiServerConfig, type TlsProfile, tlsProfileOf } from './tls-profile.ts';

/** OpenShift's settings of its API server, which has the TLS profile of the cluster. */
export const ApiServer = dynamicKind({
  group: 'config.openshift.io',
  version: 'v1',
  kind: 'APIServer',
  plural: 'apiservers',
  scope: 'Cluster',
});

/** The TLS profile that components follow. The reconcilers of one process share it; each reads it before it needs it. */
export class CentralTls {
  private current: TlsProfile | undefined;
  private readonly isServed: boolean;

  /** `isServed`: whether the server has the kind. */
  constructor(isServed: boolean) {
    this.isServed = isServed;
  }

  /** The profile, unless the TektonConfig or the server has none. */
  get profile(): TlsProfile | undefined {
    return this.current;
  }

  async refresh(client: Client): Promise<void> {
    if (!this.isServed) return;
    const config = await client.getOrUndefined(TektonConfig, { name: 'config' });
    const isOn = config?.spec?.platforms?.openshift?.enableCentralTLSConfig !== false;
    this.current = isOn
      ? tlsProfileOf((await client.getOrUndefined(ApiServer, { name: 'cluster' })) as ApiServerConfig | undefined)
      : undefined;
  }
}
