/**
 * Checks a URL as Go's `url.ParseRequestURI` does, which takes absolute ones and paths, and gives its scheme. What it refuses, it
 * refuses in Go's words.
 */
export function checkRequestUri(url: string): string {
  const errorFor = (reason: string) => new Error(`cannot parse url ${url}: parse ${JSON.stringify(url)}: ${reason}`);
  if ([...url].some((character) => character < ' ' || character === '\u007f'))
    throw errorFor('net/url: invalid control character in URL');
  if (url === '') throw errorFor('empty url');
  if (url.startsWith(':')) throw errorFor('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase() ?? '';
  const rest = scheme === '' ? url : url.slice(scheme.length + 1);
  if (!rest.startsWith('/')) throw errorFor('invalid URI for request');
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(rest)?.[0];
  if (escape !== undefined) throw errorFor(`invalid URL escape ${JSON.stringify(escape)}`);
  return scheme;
}
