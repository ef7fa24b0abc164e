import type { IncomingHttpHeaders } from 'node:http';

/** Cookies do not know ports: two servers of one machine must not replace each other's. */
export function cookieName(port: number): string {
  return `tektite-session-${port}`;
}

/** As long as a session lasts at most. */
const maxAgeSeconds = 7 * 24 * 3600;

/** Not readable by scripts, not sent with requests of other sites, and only to the routes that need it. */
export function sessionCookie(port: number, value: string, isSecure: boolean): string {
  const maxAge = `Max-Age=${value === '' ? 0 : maxAgeSeconds}`;
  const parts = [`${cookieName(port)}=${value}`, 'Path=/api', maxAge, 'HttpOnly', 'SameSite=Strict'];
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
