import type { Volume } from '@tektite/schema/kubernetes';
import { badSeccompType } from './baseline-checks.ts';
import {
  containerList,
  containersWhere,
  hasOwnUsers,
  isWindows,
  joinQuoted,
  plural,
  type PodCheck,
  setters,
  sorted,
} from './pod-check.ts';

/** Windows has none of what the check is about. */
export function unlessWindows(check: PodCheck): PodCheck {
  return (pod) => (isWindows(pod) ? undefined : check(pod));
}

export function unlessOwnUsers(check: PodCheck): PodCheck {
  return (pod) => (hasOwnUsers(pod) ? undefined : check(pod));
}

export const allowPrivilegeEscalation: PodCheck = (pod) => {
  const containers = containersWhere(pod, (context) => context?.allowPrivilegeEscalation !== false);
  return containers.length === 0
    ? undefined
    : {
        reason: 'allowPrivilegeEscalation != false',
        detail: `${containerList(containers)} must set securityContext.allowPrivilegeEscalation=false`,
      };
};

export const restrictedCapabilities: PodCheck = (pod) => {
  const keeping = containersWhere(pod, (context) => !(context?.capabilities?.drop ?? []).includes('ALL'));
  const added = new Set<string>();
  const adding = containersWhere(pod, (context) => {
    const bad = (context?.capabilities?.add ?? []).filter((capability) => capability !== 'NET_BIND_SERVICE');
    for (const capability of bad) added.add(capability);
    return bad.length > 0;
  });
  const details = [
    ...(keeping.length > 0 ? [`${containerList(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [`${containerList(adding)} must not include ${joinQuoted(sorted(added))} in securityContext.capabilities.add`]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const satisfies readonly (keyof Volume)[];

/** In the order in which a volume that is several is called by one. */
const otherVolumes = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
] as const satisfies readonly (keyof Volume)[];

export const restrictedVolumes: PodCheck = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((type) => volume[type] !== undefined));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map((volume) => otherVolumes.find((type) => volume[type] !== undefined) ?? 'unknown'));
  const who = `${plural(bad.length, 'volume')} ${joinQuoted(bad.map(({ name }) => name))}`;
  return {
    reason: 'restricted volume types',
    detail: `${who} ${plural(bad.length, 'uses', 'use')} ${plural(types.length, 'restricted volume type')} ${joinQuoted(types)}`,
  };
};

export const runAsNonRoot: PodCheck = (pod) => {
  const own = pod.spec.securityContext?.runAsNonRoot;
  const who = setters(
    own === false,
    containersWhere(pod, (context) => context?.runAsNonRoot === false),
  );
  const reason = 'runAsNonRoot != true';
  if (who.length > 0) return { reason, detail: `${who.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  const silent = own === true ? [] : containersWhere(pod, (context) => context?.runAsNonRoot === undefined);
  return silent.length === 0
    ? undefined
    : { reason, detail: `pod or ${containerList(silent)} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: PodCheck = (pod) => {
  const who = setters(
    pod.spec.securityContext?.runAsUser === 0,
    containersWhere(pod, (context) => context?.runAsUser === 0),
  );
  return who.length === 0
    ? undefined
    : { reason: 'runAsUser=0', detail: `${who.join(' and ')} must not set runAsUser=0` };
};

export const restrictedSeccomp: PodCheck = (pod) => {
  const bad = badSeccompType(pod);
  if (bad) return bad;
  const silent = pod.spec.securityContext?.seccompProfile
    ? []
    : containersWhere(pod, (context) => context?.seccompProfile === undefined);
  return silent.length === 0
    ? undefined
    : {
        reason: 'seccompProfile',
        detail: `pod or ${containerList(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
      };
};
