import { formatGoDuration, goDurationFromMilliseconds } from '@tektite/go';
import { type Clock, notFoundError, parseLabelSelector, badRequestError } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { RemoteVersion } from '../aggregation/aggregator.ts';
import type { ApiResponse } from '../request/api-response.ts';
import type { RequestContext } from './request-context.ts';
import { methodNotAllowedError } from './resource-handler.ts';
import type { NodeUsage, Usage } from './subresources/node-usage.ts';
import type { NodeConnectors } from './subresources/pod-node.ts';

const group = 'metrics.k8s.io';
const version = 'v1beta1';
const apiVersion = `${group}/${version}`;
const verbs = ['get', 'list'];

/**
 * The API `metrics.k8s.io`, of which `kubectl top` and autoscalers read: asked of the nodes of this process when it is requested. An
 * APIService for it, as of a metrics server, comes first.
 */
export class ResourceMetrics {
  private readonly nodes: NodeConnectors;
  private readonly clock: Clock;

  constructor(nodes: NodeConnectors, clock: Clock) {
    this.nodes = nodes;
    this.clock = clock;
  }

  /** For discovery. A server without such nodes does not have this API. */
  versions(): readonly RemoteVersion[] {
    if (this.sources().length === 0) return [];
    const resources = [
      { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs },
      { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs },
    ];
    return [{ group, version, resources }];
  }

  has(wantedGroup: string, wantedVersion: string): boolean {
    return wantedGroup === group && wantedVersion === version && this.sources().length > 0;
  }

  async answer({ info, request }: RequestContext): Promise<ApiResponse> {
    const object = (value: object): ApiResponse => ({ code: 200, type: 'object', media: 'json', object: value });
    // Clients that want to know its fields get an empty document: they are fixed.
    if (request.path.startsWith('/openapi/'))
      return object({ openapi: '3.0.0', info: { title: group, version }, paths: {}, components: {} });
    if (!info.isResourceRequest) {
      const [{ resources } = { resources: [] }] = this.versions();
      return object({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources });
    }
    const { resource, name, namespace, verb } = info;
    if ((resource !== 'nodes' && resource !== 'pods') || info.subresource !== '')
      throw notFoundError({ group, resource }, name);
    if (!verbs.includes(verb)) throw methodNotAllowedError();
    const usages = await Promise.all(this.sources().map(async ([node, usage]) => ({ node, ...(await usage()) })));
    const all =
      resource === 'nodes'
        ? usages.map(({ node, at, machine }) => this.metrics('NodeMetrics', { name: node }, at, machine))
        : usages.flatMap(({ at, pods }) =>
            pods
              .filter(({ pod }) => namespace === '' || pod.metadata.namespace === namespace)
              .map(({ pod, containers }) => this.podMetrics(pod, at, containers)),
          );
    if (verb === 'get') {
      const found = all.find(({ metadata }) => metadata.name === name);
      if (!found) throw notFoundError({ group, resource }, namespace === '' ? name : `${namespace}/${name}`);
      return object(found);
    }
    const selector = selectorOf(request.query.get('labelSelector') ?? '');
    const items = all.filter(({ metadata }) => selector.matches(metadata.labels ?? {}));
    const kind = resource === 'nodes' ? 'NodeMetricsList' : 'PodMetricsList';
    return object({ kind, apiVersion, metadata: {}, items });
  }

  private sources(): readonly (readonly [name: string, usage: () => Promise<NodeUsage>])[] {
    return this.nodes.all().flatMap(([name, node]) => (node.usage ? [[name, () => node.usage!()] as const] : []));
  }

  private podMetrics(pod: Pod, at: number, containers: readonly (Usage & { readonly name: string })[]) {
    const { name = '', namespace = '', labels } = pod.metadata;
    const windowMs = Math.min(...containers.map((each) => each.windowMs));
    return {
      ...this.head('PodMetrics', { name, namespace, ...(labels ? { labels } : {}) }, at, windowMs),
      containers: containers.map((each) => ({ name: each.name, usage: usageOf(each) })),
    };
  }

  private metrics(kind: string, metadata: Metadata, at: number, usage: Usage) {
    return { ...this.head(kind, metadata, at, usage.windowMs), usage: usageOf(usage) };
  }

  private head(kind: string, metadata: Metadata, at: number, windowMs: number) {
    return {
      kind,
      apiVersion,
      metadata: { ...metadata, creationTimestamp: timeOf(this.clock.now()) },
      timestamp: timeOf(at),
      window: formatGoDuration(goDurationFromMilliseconds(windowMs)),
    };
  }
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** As metrics servers write it: nanocores and kibibytes. */
function usageOf({ cpuNanocores, memoryBytes }: Usage) {
  return { cpu: `${cpuNanocores}n`, memory: `${Math.ceil(memoryBytes / 1024)}Ki` };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

function selectorOf(text: string): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw badRequestError((error as Error).message);
  }
}
