import { isStatusError } from '@tektite/meta';
import { type CredentialSource, type DockerAuths, loginsIn, parseDockerAuths, parseDockerCfg } from '@tektite/oci';
import type { Pod, Secret } from '@tektite/schema/kubernetes';
import { MissingObjectError, type ObjectSource } from '../object-source.ts';

/**
 * The logins of a Pod: those of its `imagePullSecrets`, which admission has filled from its service account, then those of the machine.
 * Secrets that do not exist count for nothing, as on a kubelet.
 */
export function podCredentials(pod: Pod, objects: ObjectSource, machine: CredentialSource): CredentialSource {
  return async (image, signal) => {
    const namespace = pod.metadata.namespace ?? '';
    const names = (pod.spec?.imagePullSecrets ?? []).flatMap(({ name }) => name ?? []);
    const secrets = await Promise.all(names.map((name) => objects.secret(namespace, name).catch(ignoreMissing)));
    const own = secrets.flatMap((secret) => (secret ? loginsIn(authsOf(secret), image) : []));
    return [...own, ...(await machine(image, signal))];
  };
}

function authsOf({ type, data = {} }: Secret): DockerAuths {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  if (type === 'kubernetes.io/dockercfg') return parseDockerCfg(text('.dockercfg'));
  return type === 'kubernetes.io/dockerconfigjson' ? parseDockerAuths(text('.dockerconfigjson')) : {};
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof MissingObjectError) && !isStatusError(error, 'NotFound')) throw error;
}
