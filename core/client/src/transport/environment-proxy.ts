import { BlockList, isIP } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a server, by the rules of Go's HTTP client, which are kubectl's: HTTPS_PROXY or
 * HTTP_PROXY by scheme, lower case too; NO_PROXY lists hosts, domains, addresses, CIDRs, each perhaps with a port; this
 * machine is never reached through a proxy.
 */
export function proxyFromEnvironment(server: string, environment: Environment): string | undefined {
  const url = new URL(server);
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = environment[name] || environment[name.toLowerCase()];
  if (!proxy || isExempt(url, environment.NO_PROXY || environment.no_proxy || '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || (isIP(host) && isInRange(host, '127.0.0.0/8')) || host === '::1') return true;
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isIP(host) !== 0 && isInRange(host, entry);
  const withPort = /^(.*[^:]):(\d+)$/.exec(entry);
  const name = (withPort?.[1] ?? entry).replace(/^\[|\]$/g, '').replace(/^\*(?=\.)/, '');
  if (withPort && withPort[2] !== port) return false;
  if (name.startsWith('.')) return host.endsWith(name);
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

function isInRange(address: string, cidr: string): boolean {
  const [network = '', prefix = ''] = cidr.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(address) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(network, Number(prefix), type);
  return range.check(address, type);
}
