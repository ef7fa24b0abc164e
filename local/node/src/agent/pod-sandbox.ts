import type { Pod } from '@tektite/schema/kubernetes';
import type { PodSandbox } from '../runtime/pod-runtime.ts';
import { sysctlPath } from './sysctls.ts';
import { type ClusterDns, resolverFile } from './resolver-file.ts';

const longestHostname = 63;

/** The shared sandbox of a Pod's containers, from its spec. */
export function podSandbox(pod: Pod, directory: string, dns?: ClusterDns): PodSandbox {
  const { metadata, spec } = pod;
  const name = metadata.name ?? '';
  const resolvConf = resolverFile(pod, dns);
  const hostname = (spec?.hostnameOverride || spec?.hostname || name).slice(0, longestHostname).replace(/[-.]+$/, '');
  const domain = spec?.subdomain && dns && `${spec.subdomain}.${metadata.namespace}.svc.${dns.domain}`;
  return {
    uid: metadata.uid ?? '',
    namespace: metadata.namespace ?? '',
    name,
    hostname,
    ...(domain ? { fullName: `${hostname}.${domain}` } : {}),
    hostNetwork: spec?.hostNetwork ?? false,
    sysctls: new Map((spec?.securityContext?.sysctls ?? []).map(({ name, value }) => [sysctlPath(name), value])),
    shareProcessNamespace: spec?.shareProcessNamespace ?? false,
    annotations: metadata.annotations ?? {},
    directory,
    hostAliases: (spec?.hostAliases ?? []).map(({ ip, hostnames }) => ({ ip, hostnames: hostnames ?? [] })),
    ...(resolvConf === undefined ? {} : { resolvConf }),
  };
}
