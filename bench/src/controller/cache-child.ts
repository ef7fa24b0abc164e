/**
 * A process that caches the objects of a server and prints the cost. A separate process, so that nothing else is in the
 * figures: `node --expose-gc cache-child.js LIBRARY SERVER RESOURCE TRANSFORM`.
 */
import { bearer, Client, httpTransport, kinds, staticCredentials } from '@tektite/client';
import { Informer, project, strip, type Transform } from '@tektite/controller/cache';
import { dynamicKind, type Kind } from '@tektite/schema';
import type { DynamicObject, KubeObject } from '@tektite/meta';
import { token } from '../server-process.ts';

/** The figures of one run. */
export interface CacheCost {
  readonly objects: number;
  readonly seconds: number;
  readonly heapBytes: number;
  readonly residentBytes: number;
  readonly peakResidentBytes: number;
}

const PipelineRun = dynamicKind<DynamicObject>({
  group: 'tekton.dev',
  version: 'v1',
  kind: 'PipelineRun',
  plural: 'pipelineruns',
  scope: 'Namespaced',
});

const kindsByName: Readonly<Record<string, Kind>> = {
  pods: kinds.Pod as Kind,
  pipelineruns: PipelineRun as Kind,
};

const transforms: Readonly<Record<string, Transform<KubeObject, KubeObject> | undefined>> = {
  none: undefined,
  strip: strip as Transform<KubeObject, KubeObject>,
  /** The fields that a controller reads of foreign Pods, and of completed runs. */
  pods: project(kinds.Pod, { metadata: { labels: true }, spec: { nodeName: true }, status: { phase: true } }) as never,
  pipelineruns: project(
    PipelineRun as never,
    {
      metadata: { labels: true, annotations: true, ownerReferences: true, creationTimestamp: true },
      status: { conditions: true, completionTime: true, startTime: true, childReferences: true },
    } as never,
  ) as never,
};

const [library = '', server = '', resource = '', transform = ''] = process.argv.slice(2);
const collect = (globalThis as { gc?: () => void }).gc ?? (() => undefined);

async function settledHeap(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    collect();
    await new Promise((resolve) => void setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

async function withTektite(): Promise<() => number> {
  const config = {
    server,
    namespace: 'default',
    insecureSkipTlsVerify: true,
    credentials: staticCredentials({ authorization: bearer(token) }),
  };
  const client = new Client(httpTransport(config as never));
  const chosen = transforms[transform];
  const informer = new Informer(client, kindsByName[resource] as Kind, chosen ? { transform: chosen } : {});
  await informer.start().synced();
  return () => informer.store.size;
}

async function withClientNode(): Promise<() => number> {
  const k8s = await import('@kubernetes/client-node');
  const config = new k8s.KubeConfig();
  config.loadFromClusterAndUser({ name: 'bench', server, skipTLSVerify: true }, { name: 'bench', token });
  const core = config.makeApiClient(k8s.CoreV1Api);
  const informer = k8s.makeInformer(config, '/api/v1/pods', () => core.listPodForAllNamespaces());
  await informer.start();
  return () => informer.list().length;
}

const before = await settledHeap();
const started = performance.now();
const size = library === 'client-node' ? await withClientNode() : await withTektite();
const seconds = (performance.now() - started) / 1000;
const heapBytes = (await settledHeap()) - before;
const cost: CacheCost = {
  objects: size(),
  seconds,
  heapBytes,
  residentBytes: process.memoryUsage().rss,
  peakResidentBytes: process.resourceUsage().maxRSS * 1024,
};
process.stdout.write(`${JSON.stringify(cost)}\n`, () => process.exit(0));
