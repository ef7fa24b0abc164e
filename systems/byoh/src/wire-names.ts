/** Names that other programs know: labels, annotations, finalizers, types. They are upstream's to the letter. */
export const group = 'infrastructure.cluster.x-k8s.io';
export const version = 'v1beta1';
export const apiVersion = `${group}/${version}`;
export const clusterApiGroup = 'cluster.x-k8s.io';

/** On a host: it is claimed. On machines and configs: the cluster they belong to. */
export const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';
export const machineNameLabel = 'byoh.infrastructure.cluster.x-k8s.io/byomachine-name';
/** The whole `namespace.name` of the machine, where it is too long for a label. Ours. */
export const machineNameAnnotation = 'byoh.infrastructure.cluster.x-k8s.io/byomachine';
/** Keeps a host out of the choice; set by administrators. Ours. */
export const unschedulableLabel = 'byoh.infrastructure.cluster.x-k8s.io/unschedulable';
/** On what belongs to a host: its heartbeat, its Roles. Ours. */
export const hostPartLabel = 'byoh.infrastructure.cluster.x-k8s.io/host';

/** Its presence asks the agent to clean the host up. */
export const cleanupAnnotation = 'byoh.infrastructure.cluster.x-k8s.io/unregistering';
export const endpointAnnotation = 'byoh.infrastructure.cluster.x-k8s.io/endpointip';
export const versionAnnotation = 'byoh.infrastructure.cluster.x-k8s.io/k8sversion';
export const registryAnnotation = 'byoh.infrastructure.cluster.x-k8s.io/bundle-registry';
export const pausedAnnotation = 'cluster.x-k8s.io/paused';
export const clonedFromNameAnnotation = 'cluster.x-k8s.io/cloned-from-name';
export const clonedFromKindAnnotation = 'cluster.x-k8s.io/cloned-from-groupkind';
/** Templates may change under it: the topology controller only asks what would happen. */
export const topologyDryRunAnnotation = 'topology.cluster.x-k8s.io/dry-run';

export const machineFinalizer = 'byomachine.infrastructure.cluster.x-k8s.io';
/** Cluster API's, on Machines. */
export const machineOwnerFinalizer = 'machine.cluster.x-k8s.io';
export const clusterFinalizer = 'byocluster.infrastructure.cluster.x-k8s.io';
export const installerFinalizer = 'k8sinstallerconfig.infrastructure.cluster.x-k8s.io';

export const secretType = 'cluster.x-k8s.io/secret';
export const sentinelFile = '/run/cluster-api/bootstrap-success.complete';

export const hostGroup = 'byoh:hosts';
export const hostUserPrefix = 'byoh:host:';
export const bootstrapGroup = 'system:bootstrappers:byoh';
/** Besides the group above, on tokens of one namespace: their hosts belong to it. Ours. */
const namespaceGroupPrefix = `${bootstrapGroup}:`;
export function bootstrapGroupOf(namespace: string): string {
  return `${namespaceGroupPrefix}${namespace}`;
}
export function namespaceOfBootstrapGroup(name: string): string | undefined {
  return name.startsWith(namespaceGroupPrefix) ? name.slice(namespaceGroupPrefix.length) : undefined;
}
export const csrPrefix = 'byoh-csr-';
export const clientSigner = 'kubernetes.io/kube-apiserver-client';
