import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@tektite/meta';
import { ClientError } from '../client-error.ts';
import type { ClientConfig } from './client-config.ts';
import { FileCredentials } from './file-credentials.ts';

/** Where every pod finds its service account. */
const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether this process runs in a pod that may talk to its API server. */
export function isInCluster(environment: Environment = process.env, folder: string = serviceAccountFolder): boolean {
  return (
    Boolean(environment.KUBERNETES_SERVICE_HOST && environment.KUBERNETES_SERVICE_PORT) &&
    existsSync(join(folder, 'token'))
  );
}

/** The API server of the cluster this process runs in, as the pod's service account. The token is read again as it rotates. */
export async function inClusterConfig(
  clock: Clock,
  environment: Environment = process.env,
  folder: string = serviceAccountFolder,
): Promise<ClientConfig> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (!host || !port) {
    throw new ClientError(
      'NO_CONFIGURATION',
      'this process does not run in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set',
    );
  }
  const authority = await readFile(join(folder, 'ca.crt'), 'utf8').catch((cause: Error) => {
    throw new ClientError(
      'CREDENTIALS_FAILED',
      `cannot read the cluster's authority ${join(folder, 'ca.crt')}: ${cause.message}; is automountServiceAccountToken off for this pod?`,
      { cause },
    );
  });
  const namespace = await readFile(join(folder, 'namespace'), 'utf8').catch(() => '');
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    certificateAuthority: authority,
    credentials: new FileCredentials({ tokenFile: join(folder, 'token') }, clock),
    namespace: namespace.trim() || 'default',
  };
}
