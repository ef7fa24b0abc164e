import type { IncomingHttpHeaders } from 'node:http';
import { isAllowedHost } from '@tektite/http';

/** Names that this server has beyond addresses, `localhost` and names of Services. */
export type HostNames = readonly string[];

/**
 * Why a request is denied before its session is read; `undefined` for one that may go on.
 *
 * - `Host` must be a name of this server: a page can have its own name resolve to this machine (DNS rebinding).
 * - A request for data must come from this page. Cookies do not know ports, and neither does SameSite: a page of another port of this
 *   machine is the same site, so its requests carry the cookie. Browsers mark them with `Sec-Fetch-Site` and `Origin`.
 */
export function checkRequest(headers: IncomingHttpHeaders, names: HostNames, isData: boolean): string | undefined {
  if (!isAllowedHost(headers.host, names)) return 'this host is not served here';
  if (!isData) return undefined;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return 'requests of other pages are denied';
  if (headers.origin !== undefined && !isOwnOrigin(headers.origin, headers.host))
    return 'requests of other origins are denied';
  return undefined;
}

/** A server behind a proxy with TLS does not see the scheme. The host, with its port, is the same. */
function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
