import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { proxyFromEnvironment } from './environment-proxy.ts';

/** Beyond what the process trusts. */
export interface WebTrust {
  /** Certificate authorities, PEM. */
  readonly authorities?: string | undefined;
}

/** Few are in use at a time: proxies do not change, authorities seldom do. */
const maxDispatchers = 8;
const dispatchers = new Map<string, Dispatcher>();

/**
 * `fetch` for servers that are none of Kubernetes': through the proxy that the environment names for them, by the rules of
 * {@link proxyFromEnvironment}. Where it redirects to is reached in the same way as it was itself.
 */
export async function webFetch(url: string, init: RequestInit = {}, trust: WebTrust = {}): Promise<Response> {
  const proxy = proxyFromEnvironment(url, process.env);
  const authorities = trust.authorities || undefined;
  if (proxy === undefined && authorities === undefined) return fetch(url, init);
  const undici = await import('./dispatchers.ts');
  const key = JSON.stringify([proxy, authorities]);
  let dispatcher = dispatchers.get(key);
  if (!dispatcher) {
    const ca = authorities === undefined ? {} : { ca: [...trustedByDefault(), authorities] };
    dispatcher = proxy
      ? new undici.ProxyAgent({ uri: proxy, requestTls: ca })
      : new undici.Agent({ connect: { ...ca } });
    dispatchers.set(key, dispatcher);
    forgetOldest();
  }
  return (await undici.fetch(url, { ...(init as object), dispatcher })) as unknown as Response;
}

function forgetOldest(): void {
  const [oldest] = dispatchers;
  if (dispatchers.size <= maxDispatchers || !oldest) return;
  dispatchers.delete(oldest[0]);
  void oldest[1].close();
}

/** Authorities that are given replace these, so they are given too. */
function trustedByDefault(): readonly string[] {
  const file = process.env['NODE_EXTRA_CA_CERTS'];
  if (!file) return rootCertificates;
  try {
    return [...rootCertificates, readFileSync(file, 'utf8')];
  } catch {
    // Node only warns of a file that it cannot read.
    return rootCertificates;
  }
}
