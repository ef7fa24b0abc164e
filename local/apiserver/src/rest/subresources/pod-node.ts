import type { Duplex } from 'node:stream';
import {
  badRequestError,
  type FieldError,
  forbiddenError,
  invalid,
  invalidObjectError,
  notFoundError,
  type Status,
  StatusError,
} from '@tektite/meta';
import type { Node, Pod } from '@tektite/schema/kubernetes';
import { type Authorizer, attributesOf } from '../../auth/authorizer.ts';
import type { KubeletClient } from '../../kubelet/kubelet-client.ts';
import { kubeletLog, kubeletTunnel, logQuery, portForwardPath, sessionPath } from '../../kubelet/pod-sessions.ts';
import type { Resource } from '../../registry/resource.ts';
import { parseBoolean, parseInteger } from '../../request/options.ts';
import type { Channels, SessionStream, TerminalSize } from '../../request/api-response.ts';
import type { RequestContext } from '../request-context.ts';
import { reviewConnection } from './connect-admission.ts';
import type { NodeUsage } from './node-usage.ts';
import { portDialer, readPorts } from './port-forward.ts';
import type { RestParts, SubresourceHandler } from '../resource-handler.ts';

/** The options of a container's log. */
export interface PodLogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

/** The kubelet's part of the API server: logs, exec, attach and port-forward. */
export interface NodeConnector {
  /** The log of a container. Ends when it is read to its end or, with `follow`, when the container ends. */
  log(pod: Pod, options: PodLogOptions): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
  /** Runs a program in a container. */
  exec?(
    pod: Pod,
    container: string,
    request: SessionStreams & { readonly command: readonly string[]; readonly tty: boolean },
    signal: AbortSignal,
  ): Promise<{ readonly exitCode: number }>;
  /** Joins what runs in a container: its output from now on, and its input. Resolves when it ends. */
  attach?(pod: Pod, container: string, streams: SessionStreams, signal: AbortSignal): Promise<void>;
  /** Connects to a port of the Pod, as its own programs would on localhost. */
  dial?(pod: Pod, port: number, signal: AbortSignal): Promise<Duplex>;
  /** The use of the node and of its Pods. */
  usage?(): Promise<NodeUsage>;
}

/** The streams of a terminal session, as far as the client wants them. */
export interface SessionStreams {
  readonly stdin?: NodeJS.ReadableStream;
  /** A returned promise settles when the client can take more output. */
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => Promise<void> | void;
  readonly sizes: AsyncIterable<TerminalSize>;
}

/** The nodes that are there. A node registers under its name and is asked for what belongs to its Pods. */
export class NodeConnectors {
  private readonly nodes = new Map<string, NodeConnector>();

  /** Disposing what it returns takes the node out again. */
  register(name: string, connector: NodeConnector): Disposable {
    this.nodes.set(name, connector);
    return {
      [Symbol.dispose]: () => {
        if (this.nodes.get(name) === connector) this.nodes.delete(name);
      },
    };
  }

  find(name: string): NodeConnector | undefined {
    return this.nodes.get(name);
  }

  all(): readonly (readonly [name: string, node: NodeConnector])[] {
    return [...this.nodes];
  }
}

/** `GET pods/NAME/log`. A Pod that no node has yet has an empty log. */
export function logHandler(parts: RestParts, nodes: NodeConnectors, kubelets?: KubeletClient): SubresourceHandler {
  return async (context, resource) => {
    const pod = await podOf(parts, context, resource);
    const options = readLogOptions(context.request.query, pod);
    const contentType = 'text/plain';
    if (!pod.spec?.nodeName) return { code: 200, type: 'text', text: '', contentType };
    const remote = kubelets && remoteNode(parts, nodes, pod.spec.nodeName);
    const { query, signal } = context.request;
    if (remote) {
      const request = { container: options.container, query: logQuery(query), ...(signal ? { signal } : {}) };
      return { code: 200, type: 'stream', stream: await kubeletLog(kubelets, remote, pod, request), contentType };
    }
    const node = connectorOf(nodes, pod.spec.nodeName);
    return { code: 200, type: 'stream', stream: await node.log(pod, options), contentType };
  };
}

/** exec, attach and port-forward: the answer is an upgrade, to WebSockets or SPDY. */
export function connectHandler(
  parts: RestParts,
  nodes: NodeConnectors,
  authorizer: Authorizer,
  kubelets?: KubeletClient,
): SubresourceHandler {
  return async (context, resource) => {
    const { subresource, name } = context.info;
    refuseReaders(authorizer, context);
    await reviewConnection(parts, context, resource);
    const pod = await podOf(parts, context, resource);
    if (!pod.spec?.nodeName) throw badRequestError(`pod ${name} does not have a host assigned`);
    const { query, headers } = context.request;
    const upgrade = headers.upgrade?.toLowerCase();
    const requireUpgrade = () => {
      if (upgrade !== 'websocket' && upgrade !== 'spdy/3.1') throw badRequestError('Upgrade request required');
    };
    const remote = kubelets && remoteNode(parts, nodes, pod.spec.nodeName);
    if (remote) {
      const path =
        subresource === 'portforward'
          ? portForwardPath(pod, readPorts(query))
          : sessionPath(subresource === 'exec' ? 'exec' : 'attach', pod, readSession(query, pod));
      requireUpgrade();
      return kubeletTunnel(kubelets, remote, path, headers);
    }
    const node = connectorOf(nodes, pod.spec.nodeName);
    if (subresource === 'portforward') {
      const dialer = portDialer(node.dial?.bind(node), pod);
      if (!dialer) throw unsupported('port-forward', pod.spec.nodeName);
      const ports = readPorts(query);
      requireUpgrade();
      return { code: 101, type: 'portForward', ports, ...dialer };
    }
    const session = readSession(query, pod);
    const run = subresource === 'exec' ? execSession(node, pod, session) : attachSession(node, pod, session);
    if (!run) throw unsupported(subresource, pod.spec.nodeName);
    if (subresource === 'exec' && session.command.length === 0)
      throw badRequestError('you must specify at least 1 command for the container');
    requireUpgrade();
    return { code: 101, type: 'upgrade', streams: streamNames(session), connect: run };
  };
}

/** A terminal has one output. */
function streamNames({ stdin, stdout, stderr, tty }: Session): SessionStream[] {
  const wanted = { stdin, stdout, stderr: stderr && !tty, resize: tty };
  return (['stdin', 'stdout', 'stderr', 'resize'] as const).filter((name) => wanted[name]);
}

/**
 * A WebSocket is opened by GET, and so the verb is `get`. It is no read: a user who may not create a session does not
 * get one this way either.
 */
function refuseReaders(authorizer: Authorizer, { user, info }: RequestContext): void {
  if (info.verb === 'create') return;
  const { allowed, reason } = authorizer.authorize({ ...attributesOf(user, info), verb: 'create' });
  if (!allowed) throw forbiddenError({ group: info.group, resource: info.resource }, info.name, reason);
}

function unsupported(what: string, node: string): StatusError {
  return new StatusError({
    code: 501,
    reason: '',
    message: `${what} is not supported by node ${JSON.stringify(node)}`,
  });
}

/** The options of a terminal session. */
interface Session {
  readonly container: string;
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

function readSession(query: URLSearchParams, pod: Pod): Session {
  const flag = (name: string) => query.has(name) && parseBoolean(query.get(name) ?? '');
  return {
    container: containerOf(query.get('container') ?? '', pod),
    command: query.getAll('command'),
    stdin: flag('stdin'),
    stdout: flag('stdout'),
    stderr: flag('stderr'),
    tty: flag('tty'),
  };
}

type Connect = (channels: Channels) => Promise<Status>;

function execSession(node: NodeConnector, pod: Pod, { container, command, ...session }: Session): Connect | undefined {
  const exec = node.exec?.bind(node);
  if (!exec) return undefined;
  return async (channels) => {
    const request = { command, tty: session.tty, ...streamsOf(session, channels) };
    const { exitCode } = await exec(pod, container, request, channels.signal);
    return exitStatus(exitCode);
  };
}

function attachSession(node: NodeConnector, pod: Pod, { container, ...session }: Session): Connect | undefined {
  const attach = node.attach?.bind(node);
  if (!attach) return undefined;
  return async (channels) => {
    await attach(pod, container, streamsOf(session, channels), channels.signal);
    return exitStatus(0);
  };
}

function streamsOf(
  { stdin, stdout, stderr }: Omit<Session, 'container' | 'command'>,
  channels: Channels,
): SessionStreams {
  const wanted = { stdout, stderr };
  return {
    ...(stdin ? { stdin: channels.stdin } : {}),
    onOutput: (stream, chunk) => (wanted[stream] ? channels.write(stream, chunk) : undefined),
    sizes: channels.sizes,
  };
}

/** In the form of a kubelet: kubectl reads the exit code from the cause. */
function exitStatus(exitCode: number): Status {
  const base = { kind: 'Status', apiVersion: 'v1', metadata: {} } as const;
  if (exitCode === 0) return { ...base, status: 'Success' } as Status;
  return {
    ...base,
    status: 'Failure',
    message: `command terminated with non-zero exit code: command terminated with exit code ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  } as unknown as Status;
}

async function podOf(parts: RestParts, { info }: RequestContext, resource: Resource): Promise<Pod> {
  return (await parts.objects.get(resource, info.namespace, info.name)) as Pod;
}

/** A node of another machine, which its kubelet serves. Undefined for a node of this process, and for one that does not exist. */
function remoteNode({ storage }: RestParts, nodes: NodeConnectors, name: string): Node | undefined {
  if (nodes.find(name)) return undefined;
  return storage.get(`/registry/nodes/${name}`)?.value as Node | undefined;
}

function connectorOf(nodes: NodeConnectors, name: string): NodeConnector {
  const node = nodes.find(name);
  // Upstream asks for the node through the Pod's resource, and says so.
  if (!node) throw notFoundError({ group: '', resource: 'pods' }, name);
  return node;
}

function readLogOptions(query: URLSearchParams, pod: Pod): PodLogOptions {
  const flag = (name: string) => query.has(name) && parseBoolean(query.get(name) ?? '');
  const number = (name: 'sinceSeconds' | 'tailLines' | 'limitBytes', least: number) => {
    const value = parseInteger(query, name);
    if (value !== undefined && value < least) {
      errors.push(invalid(name, value, least === 1 ? 'must be greater than 0' : 'must be greater than or equal to 0'));
    }
    return value === undefined ? {} : { [name]: value };
  };
  const errors: FieldError[] = [];
  const sinceTime = query.get('sinceTime');
  const options: PodLogOptions = {
    container: containerOf(query.get('container') ?? '', pod),
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    ...number('tailLines', 0),
    ...number('limitBytes', 1),
    ...number('sinceSeconds', 1),
    ...(sinceTime === null ? {} : { sinceTime }),
  };
  if (options.sinceSeconds !== undefined && sinceTime !== null) {
    errors.push({
      reason: 'FieldValueForbidden',
      field: 'sinceSeconds',
      message: 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    });
  }
  if (errors.length > 0) throw invalidObjectError('', 'PodLogOptions', pod.metadata.name ?? '', errors);
  return options;
}

/** The container that is meant: the only one there is, or the one that is named. */
function containerOf(wanted: string, { metadata, spec }: Pod): string {
  const names = (list: readonly { readonly name: string }[] | null | undefined) => (list ?? []).map(({ name }) => name);
  const main = names(spec?.containers);
  const init = names(spec?.initContainers);
  const ephemeral = names(spec?.ephemeralContainers);
  if (wanted !== '') {
    if ([...main, ...init, ...ephemeral].includes(wanted)) return wanted;
    throw badRequestError(`container ${wanted} is not valid for pod ${metadata.name}`);
  }
  if (main.length === 1 && init.length === 0 && ephemeral.length === 0) return main[0] as string;
  if (main.length === 0) throw badRequestError(`a container name must be specified for pod ${metadata.name}`);
  const choices = `choose one of: [${main.join(' ')}]`;
  const others = init.length > 0 ? ` or one of the init containers: [${init.join(' ')}]` : '';
  throw badRequestError(`a container name must be specified for pod ${metadata.name}, ${choices}${others}`);
}
