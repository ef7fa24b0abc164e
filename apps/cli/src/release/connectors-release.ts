import type { System } from '@tektite/controller';
import { connectors } from '../systems/connectors.ts';
import { version } from '../version.ts';
import type { SystemRelease } from './system-objects.ts';

export interface ConnectorsReleaseOptions {
  readonly namespace: string;
  /** The payloads of the image, as they are on this machine: the rights are for them. */
  readonly payload?: string;
  /** Of the operator and its payloads. */
  readonly version?: string;
}

const name = 'connectors-operator';
const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': name };

/** How the Connectors operator is installed. */
export async function connectorsInstallation({
  namespace,
  payload,
  version: wanted = `v${version}`,
}: ConnectorsReleaseOptions): Promise<SystemRelease> {
  const own = await connectors(payload === undefined ? {} : { payload });
  const system: System = {
    ...own,
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }],
  };
  return {
    system,
    systemName: 'connectors',
    name,
    namespace,
    labels,
    webhookService: 'connectors-operator-webhook',
    environment: [
      { name: 'VERSION', value: wanted },
      { name: 'KO_DATA_PATH', value: '/var/run/ko' },
    ],
  };
}
