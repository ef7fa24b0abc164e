/**
 * Checks a URL as Go's `url.ParseRequestURI` does, which takes absolute ones and paths, and gives its scheme. What it refuses, it
 * refuses in Go's words.
 */
export function checkRequestUri(url: string): string {
  const complain = (reason: string) => new Error(`cannot parse url ${url}: parse ${JSON.stringify(url)}: ${reason}`);
  if ([...url].some((character) => character < ' ' || character === '\u007f'))
    throw complain('net/url: invalid control character in URL');
  if (url === '') throw complain('empty url');
  if (url.startsWith(':')) throw complain('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase() ?? '';
  const rest = scheme === '' ? url : url.slice(scheme.length + 1);
  if (!rest.startsWith('/')) throw complain('invalid URI for request');
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(rest)?.[0];
  if (escape !== undefined) throw complain(`invalid URL escape ${JSON.stringify(escape)}`);
  return scheme;
}
