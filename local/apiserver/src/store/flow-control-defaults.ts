import type { BootstrapObject } from '../registry/bootstrap-object.ts';

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' };

interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

function level(name: string, shares: number, lendablePercent: number, queuing?: Queuing): BootstrapObject {
  const limitResponse = queuing ? { type: 'Queue', queuing } : { type: 'Reject' };
  return {
    apiVersion,
    kind: 'PriorityLevelConfiguration',
    metadata: { name, annotations },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: shares, lendablePercent, limitResponse } },
  };
}

const queues = (count: number, handSize: number): Queuing => ({ queues: count, handSize, queueLengthLimit: 50 });

const levels: readonly BootstrapObject[] = [
  {
    apiVersion,
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'exempt', annotations },
    spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  },
  level('catch-all', 5, 0),
  level('system', 30, 33, queues(64, 6)),
  level('node-high', 40, 25, queues(64, 6)),
  level('leader-election', 10, 0, queues(16, 4)),
  level('workload-high', 40, 50, queues(128, 6)),
  level('workload-low', 100, 90, queues(128, 6)),
  level('global-default', 20, 50, queues(128, 6)),
];

const group = (name: string) => ({ kind: 'Group', group: { name } });
const user = (name: string) => ({ kind: 'User', user: { name } });
const systemAccount = (name: string) => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace: 'kube-system', name },
});
const everyone = [group('system:unauthenticated'), group('system:authenticated')];

interface ResourceRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly clusterScope?: true;
}

const resourceRule = (rule: ResourceRule) => ({
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  namespaces: ['*'],
  ...rule,
});
const allResources = [resourceRule({ clusterScope: true })];
const allPaths = [{ verbs: ['*'], nonResourceURLs: ['*'] }];

interface SchemaRules {
  readonly resourceRules?: readonly object[];
  readonly nonResourceRules?: readonly object[];
}

const everything: SchemaRules = { resourceRules: allResources, nonResourceRules: allPaths };

function schema(
  name: string,
  precedence: number,
  priorityLevel: string,
  flow: 'ByUser' | 'ByNamespace' | undefined,
  subjects: readonly object[],
  rules: SchemaRules = everything,
): BootstrapObject {
  return {
    apiVersion,
    kind: 'FlowSchema',
    metadata: { name, annotations },
    spec: {
      priorityLevelConfiguration: { name: priorityLevel },
      matchingPrecedence: precedence,
      ...(flow ? { distinguisherMethod: { type: flow } } : {}),
      rules: [{ subjects, ...rules }],
    },
  };
}

const write = ['get', 'create', 'update'];
const lease = { verbs: write, apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
const managers = [user('system:kube-controller-manager'), user('system:kube-scheduler')];

/** The configuration of API Priority and Fairness that a real server makes: mandatory and suggested objects. */
export const flowControlDefaults: readonly BootstrapObject[] = [
  ...levels,
  schema('exempt', 1, 'exempt', undefined, [group('system:masters')]),
  schema('probes', 2, 'exempt', undefined, everyone, {
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  schema('system-leader-election', 100, 'leader-election', 'ByUser', managers, {
    resourceRules: [resourceRule({ ...lease, namespaces: ['kube-system'] })],
  }),
  schema(
    'endpoint-controller',
    150,
    'workload-high',
    'ByUser',
    [user('system:kube-controller-manager'), systemAccount('endpoint-controller')],
    { resourceRules: [resourceRule({ verbs: write, apiGroups: [''], resources: ['endpoints'] })] },
  ),
  schema('workload-leader-election', 200, 'leader-election', 'ByUser', [systemAccount('*')], {
    resourceRules: [resourceRule(lease)],
  }),
  schema('system-node-high', 400, 'node-high', 'ByUser', [group('system:nodes')], {
    resourceRules: [
      resourceRule({ apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true }),
      resourceRule({ apiGroups: ['coordination.k8s.io'], resources: ['leases'] }),
    ],
  }),
  schema('system-nodes', 500, 'system', 'ByUser', [group('system:nodes')]),
  schema('kube-controller-manager', 800, 'workload-high', 'ByNamespace', managers.slice(0, 1)),
  schema('kube-scheduler', 800, 'workload-high', 'ByNamespace', managers.slice(1)),
  schema('kube-system-service-accounts', 900, 'workload-high', 'ByNamespace', [systemAccount('*')]),
  schema('service-accounts', 9000, 'workload-low', 'ByUser', [group('system:serviceaccounts')]),
  schema('global-default', 9900, 'global-default', 'ByUser', everyone),
  schema('catch-all', 10_000, 'catch-all', 'ByUser', everyone),
];
