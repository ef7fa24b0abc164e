import { setFlagsFromString } from 'node:v8';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type ClientConfig, httpTransport, loadConfig } from '@tektite/client';
import { defaultDataDir } from '../option-values.ts';
import { UserError } from '../user-error.ts';

/** Which cluster a command is about. */
export interface ClusterChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Of `tektite up` on this machine. */
  readonly dataDir?: string;
}

/**
 * A client to the cluster that is meant: of the kubeconfig that is named, by option or $KUBECONFIG; else the control plane of
 * this machine; else what kubectl would take.
 */
export async function openCluster(choice: ClusterChoice): Promise<Client> {
  return new Client(httpTransport(await clusterConfig(choice)));
}

/** How to reach the cluster that is meant. */
export async function clusterConfig({ kubeconfig, context, dataDir }: ClusterChoice): Promise<ClientConfig> {
  const isNamed = dataDir !== undefined && dataDir !== defaultDataDir();
  const own = dataDir && (isNamed || !process.env.KUBECONFIG) ? join(dataDir, 'kubeconfig') : undefined;
  if (isNamed && kubeconfig === undefined && own && !existsSync(own))
    throw new UserError(`${own} does not exist; is \`tektite up\` running with another --data-dir?`);
  const file = kubeconfig ?? (own && existsSync(own) ? own : undefined);
  return loadConfig({ ...(file === undefined ? {} : { kubeconfig: file }), ...(context ? { context } : {}) });
}

/** Does something with the cluster that is meant, and closes the connection. */
export async function withCluster<T>(choice: ClusterChoice, work: (client: Client) => Promise<T>): Promise<T> {
  // Node does not end before V8 has optimised the WebAssembly of the HTTP client, which takes longer than most commands need it for.
  setFlagsFromString('--liftoff-only');
  const client = await openCluster(choice);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
