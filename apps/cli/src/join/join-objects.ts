import type { DynamicObject } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';

/** The cluster that machines join. */
export interface JoinTarget {
  /** `host:port` as other machines reach it. */
  readonly endpoint: string;
  /** PEM of the authorities that vouch for it. */
  readonly authorities: string;
  /** As `v1.36.4`. */
  readonly kubernetesVersion: string;
  readonly serviceSubnet: string;
  readonly dnsAddress: string;
}

/** The group of bootstrap tokens that join nodes; kubeadm's name. */
export const joinGroup = 'system:bootstrappers:kubeadm:default-node-token';

const rbac = 'rbac.authorization.k8s.io';
const system = 'kube-system';
const open = 'kube-public';
const dnsDomain = 'cluster.local';

/**
 * Objects that `kubeadm join` reads, and the rights to read them: what `kubeadm init` uploads. Kubelets ask for serving
 * certificates of the cluster (`serverTLSBootstrap`), so that the API server can verify them.
 */
export function joinObjects(target: JoinTarget): DynamicObject[] {
  return [
    configMap(open, 'cluster-info', { kubeconfig: clusterInfo(target) }),
    role(open, 'kubeadm:bootstrap-signer-clusterinfo', 'cluster-info'),
    roleBinding(open, 'kubeadm:bootstrap-signer-clusterinfo', [user('system:anonymous')]),
    configMap(system, 'kubeadm-config', { ClusterConfiguration: clusterConfiguration(target) }),
    role(system, 'kubeadm:nodes-kubeadm-config', 'kubeadm-config'),
    roleBinding(system, 'kubeadm:nodes-kubeadm-config', [group(joinGroup), group('system:nodes')]),
    configMap(system, 'kubelet-config', { kubelet: kubeletConfiguration(target) }),
    role(system, 'kubeadm:kubelet-config', 'kubelet-config'),
    roleBinding(system, 'kubeadm:kubelet-config', [group(joinGroup), group('system:nodes')]),
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'kubeadm:get-nodes' },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
    },
    clusterRoleBinding('kubeadm:get-nodes', 'kubeadm:get-nodes', group(joinGroup)),
    clusterRoleBinding('kubeadm:kubelet-bootstrap', 'system:node-bootstrapper', group(joinGroup)),
    clusterRoleBinding('kubeadm:node-autoapprove-bootstrap', `${requests}:nodeclient`, group(joinGroup)),
    clusterRoleBinding(
      'kubeadm:node-autoapprove-certificate-rotation',
      `${requests}:selfnodeclient`,
      group('system:nodes'),
    ),
    clusterRoleBinding('tektite:kubelet-client', 'system:kubelet-api-admin', user('kube-apiserver-kubelet-client')),
  ];
}

const requests = 'system:certificates.k8s.io:certificatesigningrequests';

function clusterInfo({ endpoint, authorities }: JoinTarget): string {
  const cluster = {
    'certificate-authority-data': Buffer.from(authorities).toString('base64'),
    server: `https://${endpoint}`,
  };
  const config = { apiVersion: 'v1', kind: 'Config', clusters: [{ cluster, name: '' }] };
  return formatYaml({ ...config, contexts: null, 'current-context': '', preferences: {}, users: null });
}

function clusterConfiguration({ endpoint, kubernetesVersion, serviceSubnet }: JoinTarget): string {
  return formatYaml({
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    kind: 'ClusterConfiguration',
    clusterName: 'tektite',
    controlPlaneEndpoint: endpoint,
    kubernetesVersion,
    networking: { dnsDomain, serviceSubnet },
  });
}

function kubeletConfiguration({ dnsAddress }: JoinTarget): string {
  const authority = '/etc/kubernetes/pki/ca.crt';
  return formatYaml({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: authority } },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'systemd',
    clusterDNS: [dnsAddress],
    clusterDomain: dnsDomain,
    healthzBindAddress: '127.0.0.1',
    healthzPort: 10_248,
    rotateCertificates: true,
    serverTLSBootstrap: true,
    staticPodPath: '/etc/kubernetes/manifests',
  });
}

function configMap(namespace: string, name: string, data: Record<string, string>): DynamicObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data };
}

/** A role to read one ConfigMap. */
function role(namespace: string, name: string, configMapName: string): DynamicObject {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [configMapName], verbs: ['get'] }];
  return { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { namespace, name }, rules };
}

interface Subject {
  readonly apiGroup: string;
  readonly kind: 'Group' | 'User';
  readonly name: string;
}

const group = (name: string): Subject => ({ apiGroup: rbac, kind: 'Group', name });
const user = (name: string): Subject => ({ apiGroup: rbac, kind: 'User', name });

function roleBinding(namespace: string, name: string, subjects: readonly Subject[]): DynamicObject {
  const roleRef = { apiGroup: rbac, kind: 'Role', name };
  return { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { namespace, name }, roleRef, subjects };
}

function clusterRoleBinding(name: string, roleName: string, subject: Subject): DynamicObject {
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: roleName };
  return { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects: [subject] };
}
