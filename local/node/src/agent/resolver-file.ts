import { readFileSync } from 'node:fs';
import type { Pod } from '@tektite/schema/kubernetes';

/** The name server of a cluster. */
export interface ClusterDns {
  readonly address: string;
  /** The last part of all names, as in `cluster.local`. */
  readonly domain: string;
}

interface ResolverSettings {
  readonly nameservers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** Kubelets keep as many name servers as resolvers use. */
const maxNameservers = 3;

/**
 * The `/etc/resolv.conf` of a Pod, by its `dnsPolicy` and `dnsConfig`. Undefined: that of the machine.
 *
 * Where Pods have a network, that of the machine would often name a server on the machine's loopback, so `Default` asks the name server of
 * the cluster too, without searching the names of the cluster.
 */
export function resolverFile(pod: Pod, dns: ClusterDns | undefined): string | undefined {
  const { dnsPolicy = 'ClusterFirst', dnsConfig } = pod.spec ?? {};
  const base = baseSettings(pod, dnsPolicy, dns);
  if (!base && !dnsConfig) return undefined;
  const { nameservers, searches, options } = base ?? machineSettings();
  const own = (dnsConfig?.options ?? []).map(({ name = '', value }) => (value ? `${name}:${value}` : name));
  const named = new Set(own.map((option) => option.split(':')[0]));
  return format({
    nameservers: unique([...nameservers, ...(dnsConfig?.nameservers ?? [])]).slice(0, maxNameservers),
    searches: unique([...searches, ...(dnsConfig?.searches ?? [])]),
    options: [...options.filter((option) => !named.has(option.split(':')[0])), ...own],
  });
}

function baseSettings(
  { metadata, spec }: Pod,
  policy: string,
  dns: ClusterDns | undefined,
): ResolverSettings | undefined {
  if (policy === 'None') return { nameservers: [], searches: [], options: [] };
  // The name server is in the network of Pods.
  if (!dns || spec?.hostNetwork) return undefined;
  const machine = machineSettings();
  const nameservers = [dns.address];
  if (policy === 'Default') return { ...machine, nameservers };
  const { domain } = dns;
  const searches = [`${metadata.namespace ?? 'default'}.svc.${domain}`, `svc.${domain}`, domain, ...machine.searches];
  return { nameservers, searches, options: ['ndots:5'] };
}

function machineSettings(): ResolverSettings {
  const lines = readIfThere('/etc/resolv.conf')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const valuesOf = (key: string) => lines.filter(([first]) => first === key).map(([, ...values]) => values);
  return {
    nameservers: valuesOf('nameserver').flat(),
    searches: valuesOf('search').at(-1) ?? [],
    options: valuesOf('options').flat(),
  };
}

function format({ nameservers, searches, options }: ResolverSettings): string {
  const lines = nameservers.map((server) => `nameserver ${server}`);
  if (searches.length > 0) lines.push(`search ${searches.join(' ')}`);
  if (options.length > 0) lines.push(`options ${options.join(' ')}`);
  return `${lines.join('\n')}\n`;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
