import type { Impersonation } from '../config/client-config.ts';

/** The impersonation headers. */
export function impersonationHeaders(who: Impersonation | undefined): Record<string, string | string[]> {
  if (!who) return {};
  const headers: Record<string, string | string[]> = { 'impersonate-user': who.user };
  if (who.uid !== undefined) headers['impersonate-uid'] = who.uid;
  if (who.groups && who.groups.length > 0) headers['impersonate-group'] = [...who.groups];
  for (const [key, values] of Object.entries(who.extra ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = [...values];
  return headers;
}
