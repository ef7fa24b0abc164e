import { buildBundle, isBundleError } from '@tektite/byoh';
import { resolve } from 'node:path';
import { UserError } from '../user-error.ts';

export interface BundleBuildOptions {
  readonly k8sVersion: string;
  readonly from: string;
  readonly osImage: string;
  readonly architecture: string;
  readonly out: string;
}

/** `tektite byoh bundle build`: makes the bundle of one release of hosts out of packages that the user has. */
export async function byohBundleBuild(options: BundleBuildOptions): Promise<void> {
  const { osImage, architecture, out } = options;
  const k8sVersion = options.k8sVersion.startsWith('v') ? options.k8sVersion : `v${options.k8sVersion}`;
  const request = { osImage, architecture, k8sVersion, from: resolve(options.from), to: resolve(out) };
  const folder = await buildBundle(request).catch((error: unknown) => {
    if (isBundleError(error)) throw new UserError(error.message);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UserError(`--from: there is no folder ${request.from}`);
    throw error;
  });
  process.stdout.write(`${folder}\n`);
  process.stderr.write(
    `The bundleRepo of a K8sInstallerConfigTemplate is dir:${request.to} where hosts have that folder.\n`,
  );
}
