import {
  badRequestError,
  methodNotSupportedError,
  notFoundError,
  quoteGo,
  type Random,
  serviceUnavailableError,
  stringifyJson,
} from '@tektite/meta';
import type { Node, Pod, Service } from '@tektite/schema/kubernetes';
import type { Dial } from '../../admission/webhook/dial.ts';
import { NoEndpointError, serviceEndpoints } from '../../admission/webhook/service-endpoints.ts';
import { answeredHeaders, forwardedHeaders } from '../../aggregation/proxied-headers.ts';
import { isGlobalUnicast } from '../../kubelet/is-global-unicast.ts';
import type { KubeletClient } from '../../kubelet/kubelet-client.ts';
import { errorTarget, type Resource } from '../../registry/resource.ts';
import type { ApiResponse } from '../../request/api-response.ts';
import type { RequestContext } from '../request-context.ts';
import type { RestParts, SubresourceHandler } from '../resource-handler.ts';
import { reviewConnection } from './connect-admission.ts';
import type { NodeConnectors } from './pod-node.ts';
import { rewriteLinks } from './proxied-links.ts';

/** The name of a proxied object: `web`, `web:80`, `https:web:admin`. */
interface ProxyTarget {
  readonly scheme: string;
  readonly name: string;
  /** A number or a name; empty for the only one. */
  readonly port: string;
}

interface Address {
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
}

/** The part of a path that names the object; what follows is the path of the program. */
const proxyPath = /^\/api\/v1\/namespaces\/[^/]+\/[^/]+\/[^/]+\/proxy/;

/** `pods/NAME/proxy` and `services/NAME/proxy`: passes a request on to the program that listens there. */
export function proxyHandler(parts: RestParts, random: Random, dial?: Dial): SubresourceHandler {
  return async (context, resource) => {
    await reviewConnection(parts, context, resource);
    const target = parseTarget(context, resource);
    const address =
      resource.plural === 'pods'
        ? podAddress(parts, context, resource, target)
        : serviceAddress(parts, context, resource, target, random);
    return forward(context, address, dial);
  };
}

/** The part of a path that names the node; what follows is the path of its kubelet. */
const nodeProxyPath = /^\/api\/v1\/nodes\/[^/]+\/proxy/;

/** `nodes/NAME/proxy`: the kubelet of another machine. Nodes of this process serve none, and are unreachable in upstream's sense. */
export function nodeProxyHandler(
  parts: RestParts,
  nodes: NodeConnectors,
  kubelets: KubeletClient | undefined,
): SubresourceHandler {
  return async (context, resource) => {
    await reviewConnection(parts, context, resource);
    const { name, port } = parseTarget(context, resource);
    const node = parts.storage.get(`/registry/nodes/${name}`)?.value as Node | undefined;
    if (!node) throw notFoundError(errorTarget(resource), name);
    const { request } = context;
    const isOther = port !== '' && port !== String(node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? '');
    if (!kubelets || nodes.find(name) || isOther)
      throw serviceUnavailableError(`error trying to reach service: node ${quoteGo(name)} serves no kubelet API there`);
    const search = request.query.toString();
    const { body, signal } = request;
    const response = await kubelets.send(node, {
      method: request.method,
      path: `${request.path.replace(nodeProxyPath, '') || '/'}${search === '' ? '' : `?${search}`}`,
      headers: forwardedHeaders(request.headers),
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : stringifyJson(body) }),
      ...(signal ? { signal } : {}),
    });
    const { 'content-type': type = '', ...headers } = answeredHeaders(response.headers);
    return { code: response.statusCode ?? 502, type: 'stream', stream: response, contentType: String(type), headers };
  };
}

function parseTarget({ info }: RequestContext, resource: Resource): ProxyTarget {
  const [first = '', second = '', third = '', ...more] = info.name.split(':');
  const segments = info.name.split(':').length;
  const target =
    segments === 3 ? { scheme: first, name: second, port: third } : { scheme: '', name: first, port: second };
  if (more.length > 0 || target.name === '' || !['', 'http', 'https'].includes(target.scheme))
    throw badRequestError(`invalid ${resource.kind.toLowerCase()} request ${quoteGo(info.name)}`);
  return { ...target, scheme: target.scheme || 'http' };
}

function podAddress(
  { storage }: RestParts,
  { info }: RequestContext,
  resource: Resource,
  { scheme, name, port }: ProxyTarget,
): Address {
  const pod = storage.get(`${resource.storagePrefix}${info.namespace}/${name}`)?.value as Pod | undefined;
  if (!pod) throw notFoundError(errorTarget(resource), name);
  const host = pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP ?? '';
  if (!isGlobalUnicast(host)) throw badRequestError('address not allowed');
  const own = pod.spec?.containers?.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort;
  return { scheme, host, port: port || String(own ?? (scheme === 'https' ? 443 : 80)) };
}

function serviceAddress(
  { storage }: RestParts,
  { info }: RequestContext,
  resource: Resource,
  { scheme, name, port }: ProxyTarget,
  random: Random,
): Address {
  const { namespace } = info;
  const service = storage.get(`${resource.storagePrefix}${namespace}/${name}`)?.value as Service | undefined;
  if (!service) throw notFoundError(errorTarget(resource), name);
  // An external name has no endpoints: it must not open the way to any host.
  if (service.spec?.type === 'ExternalName')
    throw serviceUnavailableError(`no endpoints available for service ${quoteGo(name)}`);
  const named = service.spec?.ports?.find((each) => (each.name ?? '') === port)?.port;
  const number = /^[0-9]+$/.test(port) ? Number(port) : named;
  if (number === undefined) throw serviceUnavailableError(`no endpoints available for service ${quoteGo(name)}`);
  try {
    const found = serviceEndpoints(storage, { namespace, name, port: number });
    const chosen = found[Math.floor(random.next() * found.length)] ?? { host: '', port: 0 };
    return { scheme, host: chosen.host, port: String(chosen.port) };
  } catch (error) {
    if (error instanceof NoEndpointError) throw serviceUnavailableError(error.message);
    throw error;
  }
}

async function forward(
  { request, info }: RequestContext,
  { scheme, host, port }: Address,
  dial: Dial | undefined,
): Promise<ApiResponse> {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  if (!methods.includes(request.method))
    throw methodNotSupportedError({ group: '', resource: info.resource }, info.verb);
  const path = request.path.replace(proxyPath, '');
  const search = request.query.toString();
  const query = search === '' ? '' : `?${search}`;
  // Relative links of a page only work below a folder.
  if (path === '' && (request.method === 'GET' || request.method === 'HEAD'))
    return {
      code: 301,
      type: 'text',
      text: '',
      contentType: 'text/plain; charset=utf-8',
      headers: { location: `${request.path}/${query}` },
    };
  const { sendUnverified } = await import('./unverified-request.ts');
  const { body } = request;
  try {
    const response = await sendUnverified(
      `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${path || '/'}${query}`,
      {
        method: request.method,
        headers: forwardedHeaders(request.headers),
        ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : stringifyJson(body) }),
        ...(request.signal ? { signal: request.signal } : {}),
      },
      dial,
    );
    const { 'content-type': type = '', ...headers } = answeredHeaders(response.headers);
    const contentType = typeof type === 'string' ? type : (type[0] ?? '');
    const place = {
      prefix: proxyPath.exec(request.path)?.[0] ?? '',
      hosts: [`${host}:${port}`, host, request.headers.host ?? ''],
    };
    return {
      code: response.statusCode,
      type: 'stream',
      ...rewriteLinks({ headers, contentType, stream: response.body }, place),
    };
  } catch (error) {
    throw serviceUnavailableError(`error trying to reach service: ${(error as Error).message}`);
  }
}
