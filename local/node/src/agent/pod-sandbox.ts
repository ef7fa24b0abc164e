import type { Pod } from '@tektite/schema/kubernetes';
import type { PodSandbox } from '../runtime/pod-runtime.ts';

const longestHostname = 63;

/** The shared sandbox of a Pod's containers, from its spec. */
export function podSandbox(pod: Pod, directory: string): PodSandbox {
  const { metadata, spec } = pod;
  const name = metadata.name ?? '';
  const resolvConf = resolverFile(pod);
  return {
    uid: metadata.uid ?? '',
    namespace: metadata.namespace ?? '',
    name,
    hostname: (spec?.hostnameOverride || spec?.hostname || name).slice(0, longestHostname).replace(/[-.]+$/, ''),
    shareProcessNamespace: spec?.shareProcessNamespace ?? false,
    annotations: metadata.annotations ?? {},
    directory,
    hostAliases: (spec?.hostAliases ?? []).map(({ ip, hostnames }) => ({ ip, hostnames: hostnames ?? [] })),
    ...(resolvConf === undefined ? {} : { resolvConf }),
  };
}

/** Only with a policy of None is the file the Pod's own: there is no cluster DNS here, the machine's has to do. */
function resolverFile({ spec }: Pod): string | undefined {
  if (spec?.dnsPolicy !== 'None') return undefined;
  const { nameservers = [], searches = [], options = [] } = spec.dnsConfig ?? {};
  const lines = nameservers.map((server) => `nameserver ${server}`);
  if (searches.length > 0) lines.push(`search ${searches.join(' ')}`);
  if (options.length > 0)
    lines.push(`options ${options.map(({ name, value }) => (value ? `${name}:${value}` : name)).join(' ')}`);
  return `${lines.join('\n')}\n`;
}
