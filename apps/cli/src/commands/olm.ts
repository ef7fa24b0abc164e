import { resolve } from 'node:path';
import { systemClock } from '@tektite/meta';
import { programIn } from '../catalog/installations.ts';
import { findOlmPackage, olmValues } from '../catalog/olm-packages.ts';
import { olmBundle } from '../release/olm-bundle.ts';
import { systemObjects } from '../release/system-objects.ts';
import { writeFiles } from '../scaffold/write-files.ts';
import { UserError } from '../user-error.ts';

export interface OlmOptions {
  readonly payload?: string;
  readonly image: string;
  readonly entrypointImage?: string;
  readonly shellImage?: string;
  readonly release: string;
  readonly replaces?: string;
  readonly package?: string;
  readonly channel: string;
  readonly provider: string;
  readonly out: string;
}

const semanticVersion = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** `tektite olm` and `tektite connectors olm`: writes the bundle of an operator for the Operator Lifecycle Manager. */
export async function writeOlmBundle(system: string, options: OlmOptions): Promise<void> {
  const operator = findOlmPackage(system);
  const { image, payload, entrypointImage, shellImage, replaces } = options;
  const version = options.release.replace(/^v/, '');
  if (!semanticVersion.test(version))
    throw new UserError(`--release: ${JSON.stringify(options.release)} is no semantic version, as 1.2.3`);
  const program = programIn(image);
  const values = olmValues(operator, program, {
    ...(entrypointImage === undefined ? {} : { entrypointImage }),
    ...(shellImage === undefined ? {} : { shellImage }),
  });
  const installation = await operator.installation(values, { version, ...(payload === undefined ? {} : { payload }) });
  const objects = systemObjects(installation, program, values);
  const files = olmBundle({
    ...operator.describe(objects.filter(({ kind }) => kind === 'CustomResourceDefinition')),
    objects,
    package: options.package ?? operator.name,
    version,
    channel: options.channel,
    provider: options.provider,
    image,
    ...(replaces ? { replaces } : {}),
    createdAt: `${new Date(systemClock.now()).toISOString().slice(0, 19)}Z`,
  });
  await writeFiles(resolve(options.out), files, { overwrite: true, option: '--out' });
}
