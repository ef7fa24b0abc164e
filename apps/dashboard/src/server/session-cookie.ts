import type { IncomingHttpHeaders } from 'node:http';

/** Cookies do not know ports: two servers of one machine must not replace each other's. */
export function cookieName(port: number): string {
  return `tektite-session-${port}`;
}

/** Not readable by scripts, not sent with requests of other sites, and only to the routes that need it. */
export function sessionCookie(port: number, value: string, isSecure: boolean): string {
  const parts = [`${cookieName(port)}=${value}`, 'Path=/api', 'HttpOnly', 'SameSite=Strict'];
  if (value === '') parts.push('Max-Age=0');
  if (isSecure) parts.push('Secure');
  return parts.join('; ');
}

/** The value of the session's cookie. Of several of that name, which only a forged request has, none counts. */
export function readSessionCookie(headers: IncomingHttpHeaders, port: number): string | undefined {
  const prefix = `${cookieName(port)}=`;
  const found = (headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix));
  return found.length === 1 ? found[0]?.slice(prefix.length) : undefined;
}
