import type { ProxyAgent } from 'undici';
import { proxyFromEnvironment } from './environment-proxy.ts';

const agents = new Map<string, ProxyAgent>();

/**
 * `fetch` for servers that are none of Kubernetes': through the proxy that the environment names for them, by the rules of
 * {@link proxyFromEnvironment}. Where it redirects to is reached in the same way as it was itself.
 */
export async function webFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const proxy = proxyFromEnvironment(url, process.env);
  if (proxy === undefined) return fetch(url, init);
  const { fetch: fetchBy, ProxyAgent: Agent } = await import('./dispatchers.ts');
  const known = agents.get(proxy);
  const dispatcher = known ?? new Agent(proxy);
  if (!known) agents.set(proxy, dispatcher);
  return (await fetchBy(url, { ...(init as object), dispatcher })) as unknown as Response;
}
