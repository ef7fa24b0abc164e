import type { IncomingMessage } from 'node:http';
import type { Node, Pod } from '@tektite/schema/kubernetes';
import { badRequestError, StatusError } from '@tektite/meta';
import type { ApiResponse, TunnelEnd } from '../request/api-response.ts';
import type { KubeletClient } from './kubelet-client.ts';

/** Longer answers of a kubelet that denies a request are cut. */
const maxReasonBytes = 2048;

/** `GET pods/NAME/log` from the kubelet of another machine. `query` is that of the client, as far as upstream passes it on. */
export async function kubeletLog(
  kubelets: KubeletClient,
  node: Node,
  pod: Pod,
  { container, query, signal }: { container: string; query: URLSearchParams; signal?: AbortSignal },
): Promise<AsyncIterable<Uint8Array>> {
  const response = await kubelets.send(node, {
    method: 'GET',
    path: pathOf('containerLogs', pod, container, query),
    headers: {},
    ...(signal ? { signal } : {}),
  });
  if (response.statusCode === 200) return response;
  throw new StatusError({
    code: response.statusCode ?? 500,
    reason: response.statusCode === 404 ? 'NotFound' : response.statusCode === 400 ? 'BadRequest' : 'InternalError',
    message: await reasonOf(response),
  });
}

/** exec, attach and port-forward: the connection of the client is passed on to the kubelet, whatever it speaks. */
export function kubeletTunnel(
  kubelets: KubeletClient,
  node: Node,
  path: string,
  headers: Readonly<Record<string, string | undefined>>,
): ApiResponse {
  const open = async (signal: AbortSignal): Promise<TunnelEnd> => {
    const upgraded = await kubelets.upgrade(node, { method: 'GET', path, headers: upgradeHeaders(headers), signal });
    if ('socket' in upgraded)
      return { socket: upgraded.socket, headers: presentHeaders(upgraded.headers, isUpgradeHeader) };
    const { response } = upgraded;
    const contentType = response.headers['content-type'] ?? 'text/plain';
    return {
      refusal: { code: response.statusCode ?? 502, type: 'text', text: await reasonOf(response), contentType },
    };
  };
  return { code: 101, type: 'tunnel', open };
}

/** The path of a session. The kubelet has other names for the streams. */
export function sessionPath(
  action: 'exec' | 'attach',
  pod: Pod,
  session: {
    readonly container: string;
    readonly command: readonly string[];
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
    readonly tty: boolean;
  },
): string {
  const query = new URLSearchParams();
  const flags = { input: session.stdin, output: session.stdout, error: session.stderr, tty: session.tty };
  for (const [name, isSet] of Object.entries(flags)) if (isSet) query.set(name, '1');
  for (const part of session.command) query.append('command', part);
  return pathOf(action, pod, session.container, query);
}

export function portForwardPath(pod: Pod, ports: readonly number[]): string {
  const query = new URLSearchParams(ports.length > 0 ? { port: ports.join(',') } : {});
  return pathOf('portForward', pod, undefined, query);
}

/** The parameters of a log that the kubelet knows. */
export function logQuery(query: URLSearchParams): URLSearchParams {
  const known = ['follow', 'previous', 'timestamps', 'sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes', 'stream'];
  return new URLSearchParams([...query].filter(([name]) => known.includes(name)));
}

function pathOf(action: string, { metadata }: Pod, container: string | undefined, query: URLSearchParams): string {
  const { namespace = '', name = '' } = metadata;
  const segments = [action, namespace, name, ...(container === undefined ? [] : [container])];
  if (segments.includes('')) throw badRequestError('the Pod has no name');
  const text = query.toString();
  return `/${segments.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

const streamVersions = 'x-stream-protocol-version';

function isUpgradeHeader(name: string): boolean {
  return name === 'upgrade' || name === 'connection' || name.startsWith('sec-websocket-') || name === streamVersions;
}

/** Headers of the handshake, and no others: what the client authenticates with is not for the kubelet. */
function upgradeHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string | string[]> {
  const { [streamVersions]: versions, ...others } = presentHeaders(headers, isUpgradeHeader);
  // Go reads one version from each header; Node.js has joined them.
  return versions === undefined ? others : { ...others, [streamVersions]: String(versions).split(/, */) };
}

function presentHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  isWanted: (name: string) => boolean,
): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined && isWanted(name)) result[name] = value;
  return result;
}

async function reasonOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length >= maxReasonBytes) break;
  }
  return text.slice(0, maxReasonBytes).trim();
}
