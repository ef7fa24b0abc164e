import { isIP } from 'node:net';

/** Names of Services inside a cluster. A public name cannot end in them. */
const clusterSuffixes = ['.svc', '.svc.cluster.local'];

/**
 * Whether a server without credentials may answer a request with this `Host` header. A web page can have its own name resolve
 * to this machine (DNS rebinding) and then read answers as its own; such a request carries the page's name. Addresses and
 * `localhost` cannot be a page's name, nor can names of Services.
 */
export function isAllowedHost(header: string | undefined, names: readonly string[] = []): boolean {
  if (header === undefined) return false;
  const host = hostOf(header);
  if (host === undefined) return false;
  if (isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost')) return true;
  return names.includes(host) || clusterSuffixes.some((suffix) => host.endsWith(suffix));
}

/** The host of `host`, `host:port`, `[address]` or `[address]:port`, in lower case. */
function hostOf(header: string): string | undefined {
  const found = /^(?:\[([^\]]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/.exec(header);
  return (found?.[1] ?? found?.[2])?.toLowerCase().replace(/\.$/, '');
}
