import type { PolicyRule } from '@tektite/schema/kubernetes';
import { policyRule as rule } from '../policy-rule.ts';

const read = 'get list watch';

/**
 * The rules of the role `system:node`. The Node authorizer narrows those of Pods, Nodes, Leases, Secrets and others down to the
 * objects of one node, and grants the rest as they are.
 */
export const nodeRules: readonly PolicyRule[] = [
  rule('authentication.k8s.io', 'tokenreviews', 'create'),
  rule('authorization.k8s.io', 'localsubjectaccessreviews subjectaccessreviews', 'create'),
  rule('', 'services', read),
  rule('', 'nodes', `create ${read}`),
  rule('', 'nodes/status', 'patch update'),
  rule('', 'nodes', 'patch update'),
  rule(['', 'events.k8s.io'], 'events', 'create patch update'),
  rule('', 'pods', read),
  rule('', 'pods', 'create delete'),
  rule('', 'pods/status', 'patch update'),
  rule('', 'pods/eviction', 'create'),
  rule('', 'configmaps secrets', read),
  rule('', 'persistentvolumeclaims persistentvolumes', 'get'),
  rule('', 'endpoints', 'get'),
  rule('certificates.k8s.io', 'certificatesigningrequests', `create ${read}`),
  rule('coordination.k8s.io', 'leases', 'create delete get patch update'),
  rule('storage.k8s.io', 'volumeattachments', 'get'),
  rule('', 'serviceaccounts/token', 'create'),
  rule('', 'persistentvolumeclaims/status', 'get patch update'),
  rule('storage.k8s.io', 'csidrivers', read),
  rule('storage.k8s.io', 'csinodes', 'create delete get patch update'),
  rule('node.k8s.io', 'runtimeclasses', read),
  rule('resource.k8s.io', 'resourceclaims', 'get'),
  rule('resource.k8s.io', 'resourceslices', 'deletecollection'),
  rule('', 'serviceaccounts', 'get'),
];
