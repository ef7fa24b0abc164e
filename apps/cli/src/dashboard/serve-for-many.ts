import type { ClientConfig } from '@tektite/client';
import {
  type Explain,
  HeaderLogin,
  impersonateWith,
  type Login,
  openWithToken,
  serveDashboard,
  TokenLogin,
} from '@tektite/dashboard';
import { UserError } from '../user-error.ts';
import { pageFolder } from './page-folder.ts';
import { pageTools } from './tools/page-tools.ts';

/** How users log in to a page that is served for many. */
export interface PageLogin {
  readonly login: string;
  readonly isReadOnly: boolean;
  /** With `header`: addresses and networks of the proxy. */
  readonly trustedProxies: readonly string[];
  readonly userHeader?: string | undefined;
  readonly groupsHeader?: string | undefined;
  /** Names under which a proxy with TLS serves the page. */
  readonly hostNames: readonly string[];
}

export interface PagePlace {
  readonly host: string;
  readonly port: number;
  readonly explain?: Explain;
}

/** Serves the page for users who log in one by one and act with their own rights, never with those of the configuration. */
export async function serveForMany(
  config: ClientConfig,
  choice: PageLogin,
  place: PagePlace,
): Promise<{ readonly link: string; close(): Promise<void> }> {
  const { isReadOnly, hostNames } = choice;
  const login: Login =
    choice.login === 'token'
      ? new TokenLogin(openWithToken(config))
      : new HeaderLogin(impersonateWith(config), trustedProxy(choice));
  const settings = { isReadOnly, hostNames, isSecure: hostNames.length > 0, tools: pageTools };
  const server = await serveDashboard({ login, pageFolder: pageFolder(), ...place, ...settings });
  return { link: server.url, close: () => server.close() };
}

function trustedProxy({ trustedProxies: addresses, userHeader, groupsHeader }: PageLogin) {
  if (addresses.length === 0)
    throw new UserError('--login header: name the addresses of the proxy with --trusted-proxy', 2);
  return { addresses, ...(userHeader ? { userHeader } : {}), ...(groupsHeader ? { groupsHeader } : {}) };
}
