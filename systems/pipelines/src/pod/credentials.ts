import { defineErrors } from '@tektite/meta';
import type { Secret, ServiceAccount } from '@tektite/schema/kubernetes';
import type { PodCredentials } from './build-pod.ts';
import { hashedNames } from './hashed-name.ts';
import { paths } from './internal-volumes.ts';

export const credentialErrors = defineErrors('pipelines', 'CredentialError', {
  NO_KNOWN_HOSTS: {
    when: 'a Git SSH Secret has no known_hosts, and the feature flag require-git-ssh-secret-known-hosts is set',
    fix: 'add the key known_hosts to the Secret',
  },
});

/** A Secret that cannot be used as the cluster's administrator wants it. */
export class CredentialError extends credentialErrors.Error {
  constructor(message: string) {
    super('NO_KNOWN_HOSTS', message);
  }
}

const dockerPrefix = 'tekton.dev/docker-';
const gitPrefix = 'tekton.dev/git-';

/**
 * The entrypoint's arguments for the Secrets of a service account: their annotations name the hosts. Secrets without
 * such an annotation are not mounted.
 */
export function podCredentials(
  account: ServiceAccount,
  secrets: ReadonlyMap<string, Secret>,
  options: { readonly requireKnownHosts: boolean },
): PodCredentials {
  const names = [...new Set((account.secrets ?? []).map(({ name }) => name ?? ''))];
  const used = names.flatMap((name) => {
    const secret = secrets.get(name);
    const flags = secret ? flagsOf(name, secret, options) : [];
    return flags.length > 0 ? [{ name, flags }] : [];
  });
  const volumes = hashedNames(
    'tekton-creds',
    used.map(({ name }) => name),
    8,
  );
  return {
    flags: used.flatMap(({ flags }) => flags),
    volumes: used.map(({ name }) => ({ name: volumes.get(name) ?? '', secret: { secretName: name } })),
    mounts: used.map(({ name }) => ({ name: volumes.get(name) ?? '', mountPath: `${paths.credsSecrets}/${name}` })),
  };
}

function flagsOf(
  name: string,
  secret: Secret,
  { requireKnownHosts }: { readonly requireKnownHosts: boolean },
): readonly string[] {
  const values = (prefix: string) =>
    Object.entries(secret.metadata.annotations ?? {})
      .filter(([key]) => key.startsWith(prefix))
      .map(([, value]) => value)
      .sort();
  switch (secret.type) {
    case 'kubernetes.io/basic-auth':
      return [
        ...values(dockerPrefix).map((url) => `-basic-docker=${name}=${url}`),
        ...values(gitPrefix).map((url) => `-basic-git=${name}=${url}`),
      ];
    case 'kubernetes.io/ssh-auth': {
      const hosts = values(gitPrefix);
      if (hosts.length > 0 && requireKnownHosts && !secret.data?.['known_hosts'])
        throw new CredentialError(
          'TaskRun validation failed. Git SSH Secret must have "known_hosts" included when feature flag "require-git-ssh-secret-known-hosts" is set to true',
        );
      return hosts.map((host) => `-ssh-git=${name}=${host}`);
    }
    case 'kubernetes.io/dockerconfigjson':
      return [`-docker-config=${name}`];
    case 'kubernetes.io/dockercfg':
      return [`-docker-cfg=${name}`];
    default:
      return [];
  }
}
