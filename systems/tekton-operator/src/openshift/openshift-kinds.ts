import { dynamicKind } from '@tektite/schema';

/** OpenShift's own kinds, as far as the operator has to do with them. */
export const SecurityContextConstraints = dynamicKind({
  group: 'security.openshift.io',
  version: 'v1',
  kind: 'SecurityContextConstraints',
  plural: 'securitycontextconstraints',
  scope: 'Cluster',
});

/** Constraints for runs: nearly everything goes, but for groups of files. */
export const pipelinesConstraints = {
  apiVersion: 'security.openshift.io/v1',
  kind: 'SecurityContextConstraints',
  metadata: {
    name: 'pipelines-scc',
    annotations: {
      'kubernetes.io/description':
        'for the Pods of Tekton runs: as anyuid, with a group for files that must be its own',
    },
  },
  allowHostDirVolumePlugin: false,
  allowHostIPC: false,
  allowHostNetwork: false,
  allowHostPID: false,
  allowHostPorts: false,
  allowPrivilegeEscalation: false,
  allowPrivilegedContainer: false,
  allowedCapabilities: ['SETFCAP'],
  fsGroup: { type: 'MustRunAs' },
  groups: ['system:cluster-admins'],
  priority: 10,
  readOnlyRootFilesystem: false,
  requiredDropCapabilities: ['MKNOD'],
  runAsUser: { type: 'RunAsAny' },
  seLinuxContext: { type: 'MustRunAs' },
  supplementalGroups: { type: 'RunAsAny' },
  volumes: ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret'],
};

export const labels = {
  rbacVersion: 'openshift-pipelines.tekton.dev/namespace-reconcile-version',
  bundlesVersion: 'openshift-pipelines.tekton.dev/namespace-trusted-configmaps-version',
  monitoring: 'openshift.io/cluster-monitoring',
} as const;

/** On a namespace: the constraints that its runs want. */
export const constraintsAnnotation = 'operator.tekton.dev/scc';
