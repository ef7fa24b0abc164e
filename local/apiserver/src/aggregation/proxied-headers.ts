import type { UserInfo } from '../request/api-request.ts';

/** Headers of one connection, and credentials: neither belongs to the aggregated server. */
const dropped = new Set([
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const isDropped = (name: string): boolean =>
  dropped.has(name) || name.startsWith(':') || name.startsWith('x-remote-') || name.startsWith('impersonate-');

/** The headers of a request that go on to another server. */
export function forwardedHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [key, value] of Object.entries(headers)) if (value !== undefined && !isDropped(key)) result[key] = value;
  return result;
}

/**
 * The headers of a proxied request. The user is the one that this server authenticated; headers by which the client names
 * another one are dropped.
 */
export function proxiedHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  { name, uid, groups, extra = {} }: UserInfo,
): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = forwardedHeaders(headers);
  result['x-remote-user'] = name;
  if (uid) result['x-remote-uid'] = uid;
  if (groups.length > 0) result['x-remote-group'] = [...groups];
  for (const [key, values] of Object.entries(extra)) result[`x-remote-extra-${escapeKey(key)}`] = [...values];
  return result;
}

/** Extra keys may hold characters that no header name has. */
function escapeKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(/[()]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

/** The headers of an answer that go to the client. */
export function answeredHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | readonly string[]> {
  const result: Record<string, string | readonly string[]> = {};
  for (const [key, value] of Object.entries(headers)) if (value !== undefined && !isDropped(key)) result[key] = value;
  return result;
}
