import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, kinds, mergePatch } from '@tektite/client';
import type { Logger, System, SystemServices } from '@tektite/controller';
import { ConfigStore } from '@tektite/controller/config';
import type { KubeObject } from '@tektite/meta';
import type { PolicyRule } from '@tektite/schema/kubernetes';
import { KubernetesAccess } from './access/access.ts';
import type { Archive } from './archive/archive-run.ts';
import { watcherConfig, watcherSettings } from './config/watcher-config.ts';
import { runController } from './controllers/run-controller.ts';
import { CustomRun, PipelineRun, TaskRun } from './kinds/runs.ts';
import { LogFiles } from './logs/log-files.ts';
import { RetentionAgent } from './retention/retention-agent.ts';
import { retentionConfig } from './retention/retention-policy.ts';
import { startResultsServer } from './server/results-server.ts';
import { serverCertificate } from './server/server-certificate.ts';
import { EmbeddedStorage } from './storage/embedded/embedded-storage.ts';
import type { ResultsStorage } from './storage/storage.ts';

export interface ResultsOptions {
  /** Where the settings, the Service and the certificate are. Default `tekton-pipelines`. */
  readonly namespace?: string;
  /** The folder of the archive and of the logs. */
  readonly folder: string;
  /** Removes the folder at the end. */
  readonly isTemporary?: boolean;
  /** Opens another storage than the one in the folder. */
  readonly openStorage?: () => Promise<ResultsStorage>;
  /** Where the API is served. Default any free port of 127.0.0.1. `false`: nowhere. */
  readonly listen?: { readonly host: string; readonly port: number } | false;
  /** The port of Pods that the Service leads to. Default 8080. */
  readonly targetPort?: number;
}

/** The release that this system is compatible with. */
export const resultsVersion = 'v0.20.0';
/** The Service in front of the API. */
export const serviceName = 'tekton-results-api-service';
/** The account that reads all namespaces. */
export const readerAccount = 'tekton-results-reader';
/** Where the API is when no Pod serves it: an annotation of the Service. */
export const urlAnnotation = 'tektite.dev/url';

/**
 * Tekton Results as a system: it archives completed runs, and serves the archive.
 *
 * @example
 * await startSystems([pipelinesSystem({ images }), resultsSystem({ folder: './results' })], { client });
 */
export function resultsSystem(options: ResultsOptions): System {
  const { namespace = 'tekton-pipelines', folder, listen = { host: '127.0.0.1', port: 0 } } = options;
  const controllersFor = (archive: Archive) =>
    [TaskRun, PipelineRun, CustomRun].map((kind) => runController(archive, kind));
  return {
    name: 'results',
    kinds: [],
    objects: shippedObjects(namespace, options.targetPort ?? 8080),
    // For a system that is printed and not run.
    controllers: controllersFor(undefined as unknown as Archive),
    permissions,
    async configure({ client, log }: SystemServices) {
      const started: AsyncDisposable[] = [];
      const stop = async () => {
        for (let each = started.pop(); each; each = started.pop()) await each[Symbol.asyncDispose]();
      };
      try {
        if (options.isTemporary)
          started.push({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) });
        const settings = await watchSettings(client, namespace, log);
        started.push({ [Symbol.asyncDispose]: () => settings.stop() });
        const storage = await (options.openStorage?.() ?? EmbeddedStorage.open(folder, client.clock));
        started.push(storage);
        const logs = new LogFiles(join(folder, 'logs'));
        const policy = () => settings.get(retentionConfig);
        started.push(new RetentionAgent({ storage, policy, clock: client.clock, log }));
        if (listen) started.push(await serve(client, namespace, { storage, logs, listen, log }));
        const config = () => watcherConfig(settings.get(watcherSettings));
        return { system: { controllers: controllersFor({ storage, logs, config }) }, stop };
      } catch (error) {
        await stop();
        throw error;
      }
    },
  };
}

async function watchSettings(client: Client, namespace: string, log: Logger): Promise<ConfigStore> {
  const store = new ConfigStore(client, {
    namespace,
    definitions: [watcherSettings, retentionConfig],
    onError: (error) => log.error('a setting is not in force', { error }),
    onWatchError: (error) => log.warn('settings cannot be watched, the last ones stay in force', { error }),
  }).start();
  await store.synced();
  return store;
}

interface Served {
  readonly storage: ResultsStorage;
  readonly logs: LogFiles;
  readonly listen: { readonly host: string; readonly port: number };
  readonly log: Logger;
}

async function serve(client: Client, namespace: string, { listen, log, ...parts }: Served): Promise<AsyncDisposable> {
  // In a Pod it listens at all addresses, and the Service leads there.
  const isInPod = listen.host === '0.0.0.0' || listen.host === '::';
  const tls = await serverCertificate(client, namespace, ['localhost', ...(isInPod ? [] : [listen.host])]);
  const onError = (error: unknown) => log.error('a request of the archive failed', { error: error as Error });
  const server = await startResultsServer({ ...parts, ...listen, access: new KubernetesAccess(client), tls, onError });
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  const url = `https://${host}:${server.port}`;
  const annotations = { [urlAnnotation]: isInPod ? null : url };
  await client
    .patch(kinds.Service, { namespace, name: serviceName }, mergePatch({ metadata: { annotations } }))
    .catch((error: unknown) => log.warn('the Service cannot say where the archive is', { error: error as Error }));
  log.info('the archive is served', { url });
  return { [Symbol.asyncDispose]: () => server.drain(2000) };
}

const group = 'results.tekton.dev';
const readVerbs = ['get', 'list'];

function shippedObjects(namespace: string, targetPort: number): readonly KubeObject[] {
  const role = (name: string, labels: object, resources: readonly string[], verbs: readonly string[]) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `tekton-results-${name}`, labels },
    rules: [{ apiGroups: [group], resources, verbs }],
  });
  const aggregate = (to: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true' });
  const all = ['results', 'records', 'logs'];
  const configMap = (name: string, data: object) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    role('readonly', { ...aggregate('edit'), ...aggregate('view') }, [...all, 'summary'], readVerbs),
    role('readwrite', {}, all, ['create', 'update', ...readVerbs]),
    role('admin', aggregate('admin'), all, ['create', 'update', ...readVerbs, 'delete']),
    // For programs without a token: who may create tokens of this account reads every archive.
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: readerAccount, namespace } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: readerAccount },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tekton-results-readonly' },
      subjects: [{ kind: 'ServiceAccount', name: readerAccount, namespace }],
    },
    configMap(watcherSettings.name, {}),
    configMap(retentionConfig.name, { runAt: '5 5 * * 0', defaultRetention: '30' }),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: serviceName, namespace, labels: { 'app.kubernetes.io/name': 'tekton-results-api' } },
      spec: {
        selector: { 'app.kubernetes.io/name': 'tekton-results-api' },
        ports: [{ name: 'server', protocol: 'TCP', port: 8080, targetPort }],
      },
    },
  ] as unknown as readonly KubeObject[];
}

const permissions: readonly PolicyRule[] = [
  {
    apiGroups: ['tekton.dev'],
    resources: ['taskruns', 'pipelineruns', 'customruns'],
    verbs: ['get', 'patch', 'update', 'delete'],
  },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create'] },
  { apiGroups: [''], resources: ['services'], verbs: ['get', 'patch'] },
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
