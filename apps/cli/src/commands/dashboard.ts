import { httpTransport } from '@tektite/client';
import {
  HeaderLogin,
  impersonateWith,
  type Login,
  openWithToken,
  serveDashboard,
  TokenLogin,
  type TrustedProxy,
} from '@tektite/dashboard';
import pc from 'picocolors';
import { type ClusterChoice, clusterConfig } from '../cluster/open-cluster.ts';
import { pageFolder } from '../dashboard/page-folder.ts';
import { servePage } from '../dashboard/serve-page.ts';
import { pageTools } from '../dashboard/tools/page-tools.ts';
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
  // Installed before the start, so that nothing is left behind when it is stopped meanwhile.
  const stopped = stopSignal();
  try {
    const served = options.login === 'code' ? await serveForUser(options, port) : await serveForMany(options, port);
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

/** Users log in one by one and act with their own rights. */
async function serveForMany(options: DashboardOptions, port: number): Promise<Served> {
  const config = await clusterConfig(options);
  const login: Login =
    options.login === 'token'
      ? new TokenLogin(openWithToken(config))
      : new HeaderLogin(impersonateWith(config), trustedProxy(options));
  const { host, readOnly: isReadOnly = false, hostName: hostNames } = options;
  const isSecure = hostNames.length > 0;
  const settings = { isReadOnly, hostNames, isSecure, tools: pageTools };
  const server = await serveDashboard({ login, pageFolder: pageFolder(), host, port, ...settings });
  return { link: server.url, close: () => server.close() };
}

function trustedProxy({ trustedProxy: addresses, userHeader, groupsHeader }: DashboardOptions): TrustedProxy {
  if (addresses.length === 0)
    throw new UserError('--login header: name the addresses of the proxy with --trusted-proxy', 2);
  return { addresses, ...(userHeader ? { userHeader } : {}), ...(groupsHeader ? { groupsHeader } : {}) };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
