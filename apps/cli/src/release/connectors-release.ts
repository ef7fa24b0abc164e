import type { System } from '@tektite/controller';
import type { DynamicObject } from '@tektite/meta';
import { connectors } from '../systems/connectors.ts';
import { version } from '../version.ts';
import type { OwnProgram } from './own-program.ts';
import { systemObjects } from './system-objects.ts';

export interface ConnectorsReleaseOptions {
  readonly namespace: string;
  /** The payloads of the image, as they are on this machine: the rights are for them. */
  readonly payload?: string;
  /** Of the operator and its payloads. */
  readonly version?: string;
}

const name = 'connectors-operator';
const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': name };

/** The objects that run the Connectors operator on a cluster. */
export async function connectorsObjects(
  program: OwnProgram,
  { namespace, payload, version: wanted = `v${version}` }: ConnectorsReleaseOptions,
): Promise<readonly DynamicObject[]> {
  const own = await connectors(payload === undefined ? {} : { payload });
  const system: System = {
    ...own,
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }],
  };
  return systemObjects(
    {
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
    },
    program,
  );
}
