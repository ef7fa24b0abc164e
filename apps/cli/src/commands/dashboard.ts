import { httpTransport } from '@tektite/client';
import pc from 'picocolors';
import { type ClusterChoice, clusterConfig } from '../cluster/open-cluster.ts';
import { type PageLogin, serveForMany } from '../dashboard/serve-for-many.ts';
import { servePage } from '../dashboard/serve-page.ts';
import { stopSignal } from '../stop-signal.ts';
import { readPort, UserError } from '../user-error.ts';

export interface DashboardOptions extends ClusterChoice {
  readonly host: string;
  readonly port: string;
  readonly login: string;
  readonly readOnly?: boolean;
  readonly trustedProxy: readonly string[];
  readonly userHeader?: string;
  readonly groupsHeader?: string;
  readonly hostName: readonly string[];
}

/** `tektite dashboard`: serves the web page for a cluster until it receives a signal. */
export async function dashboard(options: DashboardOptions): Promise<void> {
  const port = readPort('--port', options.port);
  const { host } = options;
  // Installed before the start, so that nothing is left behind when it is stopped meanwhile.
  const stopped = stopSignal();
  try {
    const served =
      options.login === 'code'
        ? await serveForUser(options, port)
        : await serveForMany(await clusterConfig(options), loginOf(options), { host, port });
    try {
      process.stdout.write(`The dashboard is at ${pc.cyan(served.link)}\n${pc.dim('Ctrl-C stops it.')}\n`);
      await stopped.promise;
    } finally {
      await served.close();
    }
  } finally {
    stopped.ignore();
  }
}

interface Served {
  readonly link: string;
  close(): Promise<void>;
}

/** With the credentials of the kubeconfig, for the one who has the link. */
async function serveForUser(options: DashboardOptions, port: number): Promise<Served> {
  if (!isLoopback(options.host))
    throw new UserError(
      `--host ${options.host}: with --login code, every session has the rights of your kubeconfig, so the page is served on loopback only; choose --login token or header`,
      2,
    );
  const config = await clusterConfig(options);
  const { host, readOnly = false } = options;
  return servePage({ transport: () => httpTransport(config), host, port, isPortChosen: true, isReadOnly: readOnly });
}

function loginOf(options: DashboardOptions): PageLogin {
  const { login, readOnly: isReadOnly = false, trustedProxy: trustedProxies, hostName: hostNames } = options;
  const { userHeader, groupsHeader } = options;
  return { login, isReadOnly, trustedProxies, userHeader, groupsHeader, hostNames };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
