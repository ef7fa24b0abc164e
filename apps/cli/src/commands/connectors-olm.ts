import { resolve } from 'node:path';
import { systemClock } from '@tektite/meta';
import { programIn } from '../catalog/installations.ts';
import { connectorsInstallation } from '../release/connectors-release.ts';
import { clusterValues } from '../release/release-values.ts';
import { systemObjects } from '../release/system-objects.ts';
import { olmBundle } from '../release/olm-bundle.ts';
import { writeFiles } from '../scaffold/write-files.ts';
import { UserError } from '../user-error.ts';

export interface OlmOptions {
  readonly payload: string;
  readonly image: string;
  readonly release: string;
  readonly replaces?: string;
  readonly package: string;
  readonly channel: string;
  readonly provider: string;
  readonly out: string;
}

const semanticVersion = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

const description = `Deploys applications from YAML with a Connector.

A Connector names an application that the operator has the YAML of. The operator installs it into the namespace of the Connector, with the
labels, annotations, registry and changes to workloads that it asks for, keeps it, upgrades and removes it.`;

/** `tektite connectors olm`: regenerates the bundle. */
export async function writeOlmBundle(options: OlmOptions): Promise<void> {
  const version = options.release.replace(/^v/, '');
  if (!semanticVersion.test(version))
    throw new UserError(`--release: ${JSON.stringify(options.release)} is no semantic version, as 1.2.3`);
  const program = programIn(options.image);
  // The Operator Lifecycle Manager decides on what stands around the Deployment.
  const values = { ...clusterValues(program), podDisruptionBudget: false, networkPolicy: false };
  const installation = await connectorsInstallation({
    namespace: 'connectors-operator',
    payload: options.payload,
    version: `v${version}`,
  });
  const objects = systemObjects(installation, program, values);
  const example = {
    apiVersion: 'operator.connectors.alauda.io/v1alpha1',
    kind: 'Connector',
    metadata: { name: 'example', namespace: 'default' },
    spec: { component: 'example', labels: { team: 'a' } },
  };
  const files = olmBundle({
    objects,
    package: options.package,
    version,
    channel: options.channel,
    displayName: 'Connectors operator',
    description,
    provider: options.provider,
    image: options.image,
    ...(options.replaces ? { replaces: options.replaces } : {}),
    createdAt: `${new Date(systemClock.now()).toISOString().slice(0, 19)}Z`,
    examples: [example],
  });
  await writeFiles(resolve(options.out), files, { overwrite: true, option: '--out' });
}
