import type { IncomingHttpHeaders } from 'node:http';
import { StatusError } from '@tektite/meta';

/**
 * Denies requests that a web page of another site makes a browser send: the browser may add a client certificate on its own, and
 * some of these requests need no consent of the server. Browsers mark them with `Sec-Fetch-Site`; those that do not send at least
 * an `Origin` with every WebSocket, which a few other clients send too: these neither call themselves Mozilla, as every browser does
 * and no page can change, nor offer to compress messages.
 */
export function denyForeignPage({ headers }: { readonly headers: IncomingHttpHeaders }, isUpgrade = false): void {
  const site = headers['sec-fetch-site'];
  const isForeign =
    site === undefined
      ? isUpgrade && isOtherOrigin(headers) && mayBeBrowser(headers)
      : site !== 'same-origin' && site !== 'none';
  if (!isForeign) return;
  const message = 'requests of web pages of other sites are denied';
  throw new StatusError({ code: 403, reason: 'Forbidden', message });
}

function mayBeBrowser(headers: IncomingHttpHeaders): boolean {
  return headers['sec-websocket-extensions'] !== undefined || (headers['user-agent'] ?? '').startsWith('Mozilla/');
}

function isOtherOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}
