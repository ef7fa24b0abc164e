import { type Clock, systemClock } from '@tektite/meta';
import { ClientError } from '../client-error.ts';
import type { ClientConfig } from './client-config.ts';
import { inClusterConfig, isInCluster } from './in-cluster.ts';
import { kubeconfigFiles, readKubeconfig } from './read-kubeconfig.ts';
import { resolveContext } from './resolve-context.ts';

export interface LoadConfigOptions {
  /** `--kubeconfig`: this file and no other. */
  readonly kubeconfig?: string;
  /** `--context`. Default: the current one. */
  readonly context?: string;
  readonly clock?: Clock;
  /** Default: the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the cluster that the user means, in kubectl's order: the kubeconfig that is named, `$KUBECONFIG`, `~/.kube/config`,
 * and then the cluster that this process runs in.
 *
 * @example
 * const config = await loadConfig({ context: 'staging' });
 * const client = new Client(httpTransport(config));
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClientConfig> {
  const { clock = systemClock, environment = process.env } = options;
  const { files, required } = kubeconfigFiles(options.kubeconfig, environment);
  const kubeconfig = await readKubeconfig(files, required);
  const isEmpty = !kubeconfig || (kubeconfig.currentContext === '' && kubeconfig.contexts.size === 0);
  if (kubeconfig && (!isEmpty || required || options.context !== undefined))
    return resolveContext(kubeconfig, options.context || undefined, clock);
  if (isInCluster(environment)) return inClusterConfig(clock, environment);
  throw new ClientError(
    'NO_CONFIGURATION',
    `there is no kubeconfig (searched ${files.join(', ')}); name one with --kubeconfig or $KUBECONFIG, or start a control plane with \`tektite up\``,
  );
}
