import { type Client, kinds } from '@tektite/client';
import { Channel, type ControllerDefinition, type System, type SystemServices } from '@tektite/controller';
import { ConfigStore } from '@tektite/controller/config';
import { EventRecorder } from '@tektite/controller/events';
import type { KubeObject } from '@tektite/meta';
import type { PolicyRule } from '@tektite/schema/kubernetes';
import { agentRoles } from './agent-roles.ts';
import { bootstrapKubeconfigController } from './controllers/bootstrap-kubeconfig/controller.ts';
import { csrApprover } from './controllers/certificate-signing-request/controller.ts';
import { clusterApiControllers, hasClusterApi } from './controllers/cluster-api/controllers.ts';
import { clusterController } from './controllers/byo-cluster/controller.ts';
import { homeController, strayAccessController } from './controllers/byo-host/home-controllers.ts';
import { hostController } from './controllers/byo-host/controller.ts';
import { installerController } from './controllers/k8s-installer-config/controller.ts';
import { type RegistryRow, resolveBundle, type ResolveOptions, standardRows } from './installer/installer-registry.ts';
import { k8sScripts } from './installer/k8s-scripts.ts';
import { registryConfig } from './installer/registry-config.ts';
import { allKinds } from './kinds/all-kinds.ts';
import { clusterApiStubs } from './kinds/cluster-api.ts';
import { K8sInstallerConfig, type K8sInstallerSpec } from './kinds/k8s-installer-config.ts';
import { machineController } from './controllers/byo-machine/controller.ts';
import type { MachineControllerOptions } from './controllers/byo-machine/machine-options.ts';
import { byohWebhooks } from './webhooks/byoh-webhooks.ts';
import { clientSigner, clusterApiGroup, group, installerFinalizer } from './wire-names.ts';

export interface ByohOptions
  extends Omit<MachineControllerOptions, 'record' | 'cannotServe' | 'records'>,
    ResolveOptions {
  /** Where the ConfigMaps are: the registry of the default installer, and the home of each host. Default `byoh-system`. */
  readonly namespace?: string;
  /** Accounts that may change hosts as the manager does, besides the one it runs as. */
  readonly managers?: readonly string[];
  /** Groups whose members may label hosts, besides `system:masters`. */
  readonly adminGroups?: readonly string[];
  /** Certificates of hosts are approved by people, not here; their rights follow the approval. Default no. */
  readonly manualCsrApproval?: boolean;
  /** Does Cluster API's part for Clusters and Machines where it is not installed. Default no. */
  readonly standsInForClusterApi?: boolean;
  /** Endpoints of ByoClusters cannot change once they have a host. Default no, as upstream. */
  readonly fixedEndpoints?: boolean;
  /** All of it, the manager without the default installer, or that installer alone. Default all. */
  readonly parts?: 'all' | 'manager' | 'installer';
}

const defaultNamespace = 'byoh-system';
const upstreamManager = 'system:serviceaccount:byoh-system:byoh-controller-manager';

/**
 * Bring your own host as a system: the manager and the default installer.
 *
 * @example
 * await startSystems([byohSystem()], { client });
 */
export function byohSystem(options: ByohOptions = {}): System {
  const { parts = 'all', namespace = defaultNamespace, fixedEndpoints = false } = options;
  const managers = [upstreamManager, ...(options.managers ?? [])];
  const adminGroups = options.adminGroups ?? [];
  const hasManager = parts !== 'installer';
  const hasInstaller = parts !== 'manager';
  const controllers = (live: Live): readonly ControllerDefinition[] => [
    ...(hasManager ? managerControllers(options, live) : []),
    ...(hasInstaller ? [defaultInstaller(options, live)] : []),
  ];
  return {
    name: parts === 'all' ? 'byoh' : `byoh-${parts}`,
    kinds: allKinds,
    objects: [...clusterApiStubs, ...(hasManager ? agentRoles : []), namespaceObject(namespace)],
    controllers: controllers({ rows: () => standardRows }),
    ...(hasManager ? { webhooks: byohWebhooks({ managers, adminGroups, records: namespace, fixedEndpoints }) } : {}),
    permissions: [
      ...(hasManager ? managerPermissions : []),
      ...(hasManager && options.standsInForClusterApi ? clusterApiPermissions : []),
      ...(hasInstaller ? installerPermissions : []),
    ],
    async configure({ client, log }: SystemServices) {
      const onError = (error: Error) => log.error('a setting is not in force', { error });
      const onWatchError = (error: Error) =>
        log.warn('settings cannot be watched, the last ones stay in force', { error });
      const store = new ConfigStore(client, {
        namespace,
        definitions: [registryConfig],
        onError,
        onWatchError,
      }).start();
      const events = new EventRecorder(client, { component: 'byomachine-controller', log });
      const nudges = new Channel('installer registry');
      await store.synced();
      store.subscribe(registryConfig, () => void nudgeAll(client, nudges).catch(onError));
      const live = {
        rows: () => store.get(registryConfig),
        nudges,
        record: (about: KubeObject, text: Parameters<EventRecorder['event']>[1]) => events.event(about, text),
      };
      const own = hasManager ? await ownName(client) : [];
      const standsIn = hasManager && options.standsInForClusterApi === true && !(await hasClusterApi(client));
      const system = {
        controllers: [...controllers(live), ...(standsIn ? clusterApiControllers() : [])],
        ...(hasManager
          ? {
              webhooks: byohWebhooks({
                managers: [...managers, ...own],
                adminGroups,
                records: namespace,
                client,
                fixedEndpoints,
              }),
            }
          : {}),
      };
      const stop = async () => {
        await Promise.all([store.stop(), events[Symbol.asyncDispose]()]);
      };
      return { system, stop };
    },
  };
}

/** Dependencies of the live cluster. */
interface Live extends Pick<MachineControllerOptions, 'record'> {
  readonly rows: () => readonly RegistryRow[];
  readonly nudges?: Channel;
}

function managerControllers(options: ByohOptions, { record, rows }: Live): readonly ControllerDefinition[] {
  // A host that the default installer has nothing for is left for others. Of other installers nothing is known.
  const cannotServe: MachineControllerOptions['cannotServe'] = ({ spec }, { status }, version) => {
    const { kind, apiVersion } = spec?.installerRef ?? {};
    if (kind !== 'K8sInstallerConfigTemplate' || apiVersion?.split('/')[0] !== group) return undefined;
    const bundle = resolveBundle(rows(), status?.hostinfo ?? {}, version, options);
    return bundle.ok ? undefined : `${bundle.failureReason}: ${bundle.failureMessage}`;
  };
  const { crossNamespaceHosts = false, manualCsrApproval: isManual = false } = options;
  const homes = { records: options.namespace ?? defaultNamespace, crossNamespaceHosts };
  return [
    machineController({ ...options, ...homes, cannotServe, ...(record ? { record } : {}) }),
    hostController(homes),
    homeController(homes),
    strayAccessController(homes),
    clusterController(),
    bootstrapKubeconfigController(),
    csrApprover({ ...homes, isManual }),
  ];
}

function defaultInstaller(options: ByohOptions, { rows, nudges }: Live): ControllerDefinition {
  return installerController({
    name: 'k8sinstallerconfig',
    kind: K8sInstallerConfig,
    finalizer: installerFinalizer,
    generate: (host, version, { spec }) =>
      k8sScripts(
        rows(),
        host,
        version,
        spec ?? ({ bundleRepo: '', bundleType: '' } satisfies K8sInstallerSpec),
        options,
      ),
    ...(nudges ? { nudges } : {}),
  });
}

/** Those that have no scripts yet may get some now. */
async function nudgeAll(client: Client, nudges: Channel): Promise<void> {
  for await (const { metadata, status } of client.listAll(K8sInstallerConfig))
    if (!status?.ready) nudges.send(`${metadata.namespace}/${metadata.name}`, 'the registry changed');
}

/** Who the manager is, as far as the server says: those before 1.28 do not. */
async function ownName(client: Client): Promise<readonly string[]> {
  try {
    const review = await client.create(kinds.SelfSubjectReview, { metadata: {} });
    const { username } = review.status?.userInfo ?? {};
    return username ? [username] : [];
  } catch {
    return [];
  }
}

function namespaceObject(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/** For Cluster API's part, where it is not installed. */
const clusterApiPermissions: readonly PolicyRule[] = [
  { apiGroups: [clusterApiGroup], resources: ['clusters', 'machines'], verbs: ['get', 'list', 'patch', 'watch'] },
  { apiGroups: [clusterApiGroup], resources: ['clusters/status', 'machines/status'], verbs: ['patch'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get'] },
];

const managerPermissions: readonly PolicyRule[] = [
  { apiGroups: [group], resources: ['*'], verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete', 'get', 'list', 'update'] },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['create', 'get', 'patch'] },
  // Created for hosts, which are granted the rest, each for its own.
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'patch', 'update'] },
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['get'] },
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests/approval'], verbs: ['update'] },
  { apiGroups: ['certificates.k8s.io'], resources: ['signers'], resourceNames: [clientSigner], verbs: ['approve'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get', 'list', 'watch'] },
];

const installerPermissions: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'get', 'update'] },
  { apiGroups: ['cluster.x-k8s.io'], resources: ['clusters', 'machines'], verbs: ['get'] },
  { apiGroups: [group], resources: ['k8sinstallerconfigs'], verbs: ['list'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
];
