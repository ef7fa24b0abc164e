import type { KubeObject } from '@tektite/meta';
import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '@tektite/schema/kubernetes';
import { bootstrapGroup, group, hostGroup } from './wire-names.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const certificates: PolicyRule = {
  apiGroups: ['certificates.k8s.io'],
  resources: ['certificatesigningrequests'],
  verbs: ['create', 'get', 'list', 'watch'],
};

/**
 * What hosts are allowed as a group: to register, to ask for certificates, to tell what happens. All else is allowed to each
 * alone, for its own objects and the Secrets of its machine; see `host/host-access.ts`.
 */
export const agentRoles: readonly KubeObject[] = [
  ...groupRole('byoh-hosts', hostGroup, [
    { apiGroups: [group], resources: ['byohosts'], verbs: ['create'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    certificates,
  ]),
  ...groupRole('byoh-bootstrappers', bootstrapGroup, [certificates]),
];

function groupRole(name: string, subject: string, rules: readonly PolicyRule[]): readonly KubeObject[] {
  const role: ClusterRole = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    rules: [...rules],
  };
  const binding: ClusterRoleBinding = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: [{ apiGroup, kind: 'Group', name: subject }],
  };
  return [role, binding];
}
