import { httpTransport } from '@tektite/client';
import { type ClusterChoice, clusterConfig } from '../cluster/open-cluster.ts';
import { version as own } from '../version.ts';

export interface VersionOptions extends ClusterChoice {
  readonly client?: boolean;
  readonly output: string;
}

interface Versions {
  readonly clientVersion: string;
  readonly nodeVersion: string;
  readonly platform: string;
  readonly server?: string;
  readonly serverVersion?: string;
  /** Why the server's version is not known. */
  readonly serverError?: string;
}

/** A server that does not answer must not hold up the version of the client. */
const patienceMs = 3000;

/** `tektite version`: the versions of this program, of Node, and of the server when it can be reached. */
export async function version(options: VersionOptions): Promise<void> {
  const versions: Versions = {
    clientVersion: own,
    nodeVersion: process.version,
    platform: `${process.platform}/${process.arch}`,
    ...(options.client ? {} : await serverVersion(options)),
  };
  process.stdout.write(options.output === 'json' ? `${JSON.stringify(versions, undefined, 2)}\n` : text(versions));
}

function text({ clientVersion, nodeVersion, platform, server, serverVersion, serverError }: Versions): string {
  const lines = [`tektite  ${clientVersion}`, `node     ${nodeVersion} ${platform}`];
  if (serverVersion) lines.push(`server   ${serverVersion} at ${server}`);
  if (serverError) lines.push(`server   ${serverError}`);
  return `${lines.join('\n')}\n`;
}

async function serverVersion(choice: ClusterChoice): Promise<Partial<Versions>> {
  try {
    const config = await clusterConfig(choice);
    const transport = httpTransport(config);
    try {
      const { body } = await transport.request({ method: 'GET', path: '/version', timeoutMs: patienceMs });
      const { gitVersion } = body as { readonly gitVersion?: string };
      if (!gitVersion) return { server: config.server, serverError: `${config.server} does not report a version` };
      return { server: config.server, serverVersion: gitVersion };
    } finally {
      await transport.close();
    }
  } catch (error) {
    // The commonest case: no cluster is wanted.
    return { serverError: `none is reachable: ${(error as Error).message}` };
  }
}
