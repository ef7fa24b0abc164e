import type { Dispatcher, Pool } from 'undici';
import { headers } from '../server-process.ts';

export const namespace = 'bench';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const padding = 'x'.repeat(900);

/** A ConfigMap of about one kilobyte. */
export function configMap(name: string, value = '0'): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { bench: 'true' } },
    data: { value, padding },
  };
}

export async function call(
  pool: Pool,
  options: { method: Dispatcher.HttpMethod; path: string; body?: object; type?: string },
): Promise<unknown> {
  const { statusCode, body } = await pool.request({
    method: options.method,
    path: options.path,
    // Otherwise a connection of HTTP/2 takes one write at a time.
    idempotent: true,
    headers: options.type ? { ...headers, 'content-type': options.type } : headers,
    ...(options.body ? { body: JSON.stringify(options.body) } : {}),
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${options.method} ${options.path}: ${statusCode} ${text.slice(0, 200)}`);
  return text;
}

export const create = (pool: Pool, name: string) => call(pool, { method: 'POST', path, body: configMap(name) });
export const get = (pool: Pool, name: string) => call(pool, { method: 'GET', path: `${path}/${name}` });
export const update = (pool: Pool, name: string, value: string) =>
  call(pool, { method: 'PUT', path: `${path}/${name}`, body: configMap(name, value) });
export const patch = (pool: Pool, name: string, value: string) =>
  call(pool, {
    method: 'PATCH',
    path: `${path}/${name}`,
    body: { data: { value } },
    type: 'application/merge-patch+json',
  });
export const apply = (pool: Pool, name: string, value: string) =>
  call(pool, {
    method: 'PATCH',
    path: `${path}/${name}?fieldManager=bench&force=true`,
    body: configMap(name, value),
    type: 'application/apply-patch+yaml',
  });
export const remove = (pool: Pool, name: string) => call(pool, { method: 'DELETE', path: `${path}/${name}` });
export const list = (pool: Pool) => call(pool, { method: 'GET', path });
export const makeNamespace = (pool: Pool) =>
  call(pool, {
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });

/** Runs `action` for 0..count-1 with so many at a time; operations per second. */
export async function throughput(
  count: number,
  clients: number,
  action: (index: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const started = performance.now();
  const worker = async () => {
    while (next < count) await action(next++);
  };
  await Promise.all(Array.from({ length: clients }, worker));
  return (count / (performance.now() - started)) * 1000;
}
