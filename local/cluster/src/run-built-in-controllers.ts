import { mkdir } from 'node:fs/promises';
import { signRequest } from '@tektite/certificates';
import { systemClock } from '@tektite/meta';
import { startWorkloads } from '@tektite/workloads';
import type { ClusterCertificates } from './cluster-options.ts';
import { type ClusterPart, componentClient } from './cluster-part.ts';
import { nodeFolders } from './node-folders.ts';
import type { Started } from './start-together.ts';

interface ControllersOptions extends ClusterPart {
  readonly folder: string;
  /** Without them, no certificate requests are signed. */
  readonly certificates: ClusterCertificates | undefined;
}

const aYear = 365 * 24 * 60 * 60;

/** Runs the controllers that every cluster has. */
export async function runBuiltInControllers(options: ControllersOptions, started: Started): Promise<void> {
  const { folder, certificates } = options;
  const workloads = await startWorkloads({
    client: componentClient(options, 'kube-controller-manager', 'system:kube-controller-manager', started),
    log: options.log,
    ...(certificates ? certificateOptions(certificates) : {}),
    storage: {
      directory: nodeFolders(folder).claims,
      createFolder: async (path) => void (await mkdir(path, { recursive: true, mode: 0o777 })),
      removeFolder: async (path) => (await import('@tektite/node')).removeTree(path),
    },
  });
  started.push(() => workloads.stop());
}

/** The authority may be another one by the next request. */
function certificateOptions(
  from: ClusterCertificates,
): Pick<Parameters<typeof startWorkloads>[0], 'rootCertificate' | 'certificates'> {
  return {
    rootCertificate: () => from.bundle,
    certificates: {
      sign: ({ request, usages, expirationSeconds }) =>
        signRequest(from.authority, request, {
          clock: systemClock,
          usages,
          validForMs: (expirationSeconds ?? aYear) * 1000,
        }),
    },
  };
}
