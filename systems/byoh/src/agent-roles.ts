import type { KubeObject } from '@tektite/meta';
import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '@tektite/schema/kubernetes';
import { bootstrapGroup, hostGroup } from './wire-names.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const certificates: PolicyRule = {
  apiGroups: ['certificates.k8s.io'],
  resources: ['certificatesigningrequests'],
  verbs: ['create', 'get'],
};

/**
 * Rights in the whole cluster: to ask for a certificate, and to read that request by its name. All else a host has in its own
 * namespace alone, for its own objects and the Secrets of its machine; see `host/host-access.ts`.
 */
export const agentRoles: readonly KubeObject[] = [
  ...groupRole('byoh-hosts', hostGroup, [certificates]),
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
