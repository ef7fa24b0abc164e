import { quoteGo } from '@tektite/meta';
import type { LifecycleHandler, SELinuxOptions } from '@tektite/schema/kubernetes';
import {
  type CheckedPod,
  containerList,
  containersOf,
  containersWhere,
  hasOwnUsers,
  joinQuoted,
  plural,
  type PodCheck,
  setters,
  sorted,
  type Violation,
} from './pod-check.ts';

const profileTypes = new Set(['RuntimeDefault', 'Localhost']);
const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';

export const appArmorProfile: PodCheck = (pod) => {
  const isBad = (type: string | undefined) => type !== undefined && !profileTypes.has(type);
  const own = pod.spec.securityContext?.appArmorProfile?.type;
  const containers = containersWhere(pod, (context) => isBad(context?.appArmorProfile?.type));
  const values = sorted(
    [own, ...[...containersOf(pod)].map(({ securityContext }) => securityContext?.appArmorProfile?.type)].filter(
      (type): type is string => type !== undefined && isBad(type),
    ),
  );
  const annotations = Object.entries(pod.metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !allowedAppArmorValue(value))
    .map(([key, value]) => `${key}=${quoteGo(value)}`)
    .sort();
  const who = setters(isBad(own), containers);
  if (annotations.length > 0) who.push(plural(annotations.length, 'annotation'));
  if (who.length === 0) return undefined;
  const all = [...values, ...annotations];
  return {
    reason: plural(all.length, 'forbidden AppArmor profile'),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${joinQuoted(all)}`,
  };
};

function allowedAppArmorValue(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}

const defaultCapabilities = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

export const capabilities: PodCheck = (pod) => {
  const added = new Set<string>();
  const containers = containersWhere(pod, (context) => {
    const bad = (context?.capabilities?.add ?? []).filter((capability) => !defaultCapabilities.has(capability));
    for (const capability of bad) added.add(capability);
    return bad.length > 0;
  });
  return containers.length === 0
    ? undefined
    : {
        reason: 'non-default capabilities',
        detail: `${containerList(containers)} must not include ${joinQuoted(sorted(added))} in securityContext.capabilities.add`,
      };
};

export const hostNamespaces: PodCheck = ({ spec }) => {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
  return used.length === 0
    ? undefined
    : { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') };
};

export const hostPathVolumes: PodCheck = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  return names.length === 0
    ? undefined
    : { reason: 'hostPath volumes', detail: `${plural(names.length, 'volume')} ${joinQuoted(names)}` };
};

export const hostPorts: PodCheck = (pod) => {
  const ports = new Set<string>();
  const containers = containersWhere(pod, (_, container) => {
    const used = (container.ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
    for (const port of used) ports.add(port);
    return used.length > 0;
  });
  if (containers.length === 0) return undefined;
  const which = `${plural(ports.size, 'hostPort')} ${sorted(ports).join(', ')}`;
  return {
    reason: 'hostPort',
    detail: `${containerList(containers)} ${plural(containers.length, 'uses', 'use')} ${which}`,
  };
};

type Handler = Pick<LifecycleHandler, 'httpGet' | 'tcpSocket'> | undefined;

export const probeHosts: PodCheck = (pod) => {
  const hosts = new Set<string>();
  const containers = containersWhere(pod, (_, container) => {
    const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
    const handlers: Handler[] = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
    const named = handlers
      .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
      .filter((host) => host);
    for (const host of named) hosts.add(host as string);
    return named.length > 0;
  });
  if (containers.length === 0) return undefined;
  const names = sorted(containers);
  const which = `${plural(hosts.size, 'probe or lifecycle host')} ${joinQuoted(sorted(hosts))}`;
  return {
    reason: 'probe or lifecycle host',
    detail: `${containerList(names)} ${plural(names.length, 'uses', 'use')} ${which}`,
  };
};

export const privileged: PodCheck = (pod) => {
  const containers = containersWhere(pod, (context) => context?.privileged === true);
  return containers.length === 0
    ? undefined
    : { reason: 'privileged', detail: `${containerList(containers)} must not set securityContext.privileged=true` };
};

export const procMount: PodCheck = (pod) => {
  const types = new Set<string>();
  const containers = containersWhere(pod, (context) => {
    const type = context?.procMount;
    if (type === undefined || type === 'Default') return false;
    types.add(type);
    return true;
  });
  return containers.length === 0
    ? undefined
    : {
        reason: 'procMount',
        detail: `${containerList(containers)} must not set securityContext.procMount to ${joinQuoted(sorted(types))}`,
      };
};

export const procMountUnlessOwnUsers: PodCheck = (pod) => (hasOwnUsers(pod) ? undefined : procMount(pod));

/** SELinux types that keep containers apart; newer versions allow more of them. */
export function seLinuxOptions(allowed: ReadonlySet<string>): PodCheck {
  return (pod) => {
    const types = new Set<string>();
    let setsUser = false;
    let setsRole = false;
    const isBad = (options: SELinuxOptions | undefined): boolean => {
      if (!options) return false;
      const badType = !allowed.has(options.type ?? '');
      if (badType) types.add(options.type ?? '');
      setsUser ||= !!options.user;
      setsRole ||= !!options.role;
      return badType || !!options.user || !!options.role;
    };
    const podIsBad = isBad(pod.spec.securityContext?.seLinuxOptions);
    const who = setters(
      podIsBad,
      containersWhere(pod, (context) => isBad(context?.seLinuxOptions)),
    );
    if (who.length === 0) return undefined;
    const what = [
      ...(types.size > 0 ? [`${plural(types.size, 'type')} ${joinQuoted(sorted(types))}`] : []),
      ...(setsUser ? ['user may not be set'] : []),
      ...(setsRole ? ['role may not be set'] : []),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${who.join(' and ')} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
    };
  };
}

const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';

/** Before there were fields, seccomp profiles were annotations. */
export const seccompAnnotations: PodCheck = (pod) => {
  const keys = [seccompPod, ...[...containersOf(pod)].map(({ name }) => `${seccompContainer}${name}`)];
  const bad = sorted(
    keys.flatMap((key) => {
      const value = pod.metadata.annotations?.[key];
      const allowed =
        value === undefined ||
        value === 'runtime/default' ||
        value === 'docker/default' ||
        value.startsWith('localhost/');
      return allowed ? [] : [`${key}=${quoteGo(value)}`];
    }),
  );
  return bad.length === 0
    ? undefined
    : { reason: 'seccompProfile', detail: `forbidden ${plural(bad.length, 'annotation')} ${bad.join(', ')}` };
};

export const seccompProfile: PodCheck = (pod) => badSeccompType(pod);

/** A seccomp profile that does not protect. */
export function badSeccompType(pod: CheckedPod): Violation | undefined {
  const values = new Set<string>();
  const isBad = (type: string | undefined): boolean => {
    if (type === undefined || profileTypes.has(type)) return false;
    values.add(type);
    return true;
  };
  const podIsBad = isBad(pod.spec.securityContext?.seccompProfile?.type);
  const who = setters(
    podIsBad,
    containersWhere(pod, (context) => isBad(context?.seccompProfile?.type)),
  );
  return who.length === 0
    ? undefined
    : {
        reason: 'seccompProfile',
        detail: `${who.join(' and ')} must not set securityContext.seccompProfile.type to ${joinQuoted(sorted(values))}`,
      };
}

/** Kernel parameters that concern the Pod alone. */
export function sysctls(allowed: ReadonlySet<string>): PodCheck {
  return ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.has(name));
    return names.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: names.join(', ') };
  };
}

export const windowsHostProcess: PodCheck = (pod) => {
  const who = setters(
    pod.spec.securityContext?.windowsOptions?.hostProcess === true,
    containersWhere(pod, (context) => context?.windowsOptions?.hostProcess === true),
  );
  return who.length === 0
    ? undefined
    : {
        reason: 'hostProcess',
        detail: `${who.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`,
      };
};
