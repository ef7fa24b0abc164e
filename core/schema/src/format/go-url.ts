/** A URL as Go's `net/url` takes it apart. */
export interface GoUrl {
  readonly scheme: string;
  /** Host and port, decoded. */
  readonly host: string;
  /** The path as written when that is a good encoding of it, re-encoded otherwise. */
  readonly escapedPath: string;
  readonly rawQuery: string;
  readonly opaque: string;
}

/** Reads an absolute URI or an absolute path, as `url.ParseRequestURI` does; a string says why not. */
export function parseRequestUri(text: string): GoUrl | string {
  if (/\p{Cc}/u.test(text.replaceAll(/[\u0080-\u009f]/g, ''))) return 'net/url: invalid control character in URL';
  if (text === '') return 'empty url';
  if (text === '*') return { scheme: '', host: '', escapedPath: '*', rawQuery: '', opaque: '' };
  const schemeMatch = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
  if (text.startsWith(':')) return 'missing protocol scheme';
  const scheme = schemeMatch ? (schemeMatch[1] as string).toLowerCase() : '';
  let rest = schemeMatch ? text.slice(schemeMatch[0].length) : text;
  let rawQuery = '';
  const question = rest.indexOf('?');
  if (question >= 0) [rest, rawQuery] = [rest.slice(0, question), rest.slice(question + 1)];
  if (!rest.startsWith('/')) {
    if (scheme === '') return 'invalid URI for request';
    return { scheme, host: '', escapedPath: '', rawQuery, opaque: rest };
  }
  let host = '';
  if (scheme !== '' && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? '' : rest.slice(slash);
    const parsed = parseAuthority(authority);
    if (parsed === undefined) return 'invalid host';
    host = parsed;
  }
  if (!hasValidEscapes(rest)) return 'invalid URL escape';
  return { scheme, host, escapedPath: escapePath(rest), rawQuery, opaque: '' };
}

/** A URL reference as `url.Parse` takes it apart: relative ones and fragments, too. */
export interface GoUrlReference {
  readonly scheme: string;
  readonly opaque: string;
  readonly user?: { readonly name: string; readonly password: string };
  readonly host: string;
  /** Decoded. */
  readonly path: string;
  readonly rawQuery: string;
  readonly fragment: string;
}

/** Reads a URL reference as `url.Parse` does; a string says why not. */
export function parseUrlReference(text: string): GoUrlReference | string {
  const hash = text.indexOf('#');
  const [whole, fragment] = hash < 0 ? [text, ''] : [text.slice(0, hash), text.slice(hash + 1)];
  // eslint-disable-next-line no-control-regex -- Go denies these
  if (/[\u0000-\u001f\u007f]/.test(whole)) return 'net/url: invalid control character in URL';
  if (whole.startsWith(':')) return 'missing protocol scheme';
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(whole)?.[1] ?? '';
  let rest = scheme === '' ? whole : whole.slice(scheme.length + 1);
  const question = rest.indexOf('?');
  const rawQuery = question < 0 ? '' : rest.slice(question + 1);
  if (question >= 0) rest = rest.slice(0, question);
  const base = { scheme: scheme.toLowerCase(), opaque: '', host: '', path: '', rawQuery, fragment: '' };
  const badFragment = badEscape(fragment);
  if (!rest.startsWith('/')) {
    if (scheme !== '') return badFragment ?? { ...base, opaque: rest, fragment: decodeEscapes(fragment) };
    if ((rest.split('/')[0] as string).includes(':')) return 'first path segment in URL cannot contain colon';
  }
  let authority: Pick<GoUrlReference, 'user' | 'host'> = { host: '' };
  if (rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'))) {
    const slash = rest.indexOf('/', 2);
    const parsed = readAuthority(slash < 0 ? rest.slice(2) : rest.slice(2, slash));
    if (typeof parsed === 'string') return parsed;
    authority = parsed;
    rest = slash < 0 ? '' : rest.slice(slash);
  }
  const bad = badEscape(rest) ?? badFragment;
  if (bad !== undefined) return bad;
  return { ...base, ...authority, path: decodeEscapes(rest), fragment: decodeEscapes(fragment) };
}

function readAuthority(authority: string): Pick<GoUrlReference, 'user' | 'host'> | string {
  const at = authority.lastIndexOf('@');
  const hostText = authority.slice(at + 1);
  const host = parseHost(hostText);
  if (host === undefined) return hostError(hostText);
  if (at < 0) return { host };
  const userInfo = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userInfo)) return 'net/url: invalid userinfo';
  const bad = badEscape(userInfo);
  if (bad !== undefined) return bad;
  const colon = userInfo.indexOf(':');
  const [name, password] = colon < 0 ? [userInfo, ''] : [userInfo.slice(0, colon), userInfo.slice(colon + 1)];
  return { host, user: { name: decodeEscapes(name), password: decodeEscapes(password) } };
}

function hostError(host: string): string {
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host";
  const after = host.startsWith('[') ? host.slice(host.lastIndexOf(']') + 1) : host.slice(host.lastIndexOf(':'));
  if (host.includes(':') && !isOptionalPort(after)) return `invalid port ${JSON.stringify(after)} after host`;
  const bad = badEscape(host) ?? /%[0-7][0-9a-fA-F]/.exec(host)?.[0];
  if (bad !== undefined) return bad.startsWith('%') ? `invalid URL escape ${JSON.stringify(bad)}` : bad;
  const character = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\uffff]/u.exec(host)?.[0] ?? '';
  return `invalid character ${JSON.stringify(character)} in host name`;
}

function badEscape(text: string): string | undefined {
  const at = /%(?![0-9a-fA-F]{2})/.exec(text)?.index;
  return at === undefined ? undefined : `invalid URL escape ${JSON.stringify(text.slice(at, at + 3))}`;
}

const decodeEscapes = (text: string): string => text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, decodeBytes);

const hasValidEscapes = (text: string): boolean => !/%(?![0-9a-fA-F]{2})/.test(text);

function parseAuthority(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) return undefined;
  if (at >= 0 && !hasValidEscapes(authority.slice(0, at))) return undefined;
  return parseHost(authority.slice(at + 1));
}

function parseHost(host: string): string | undefined {
  if (host.startsWith('[')) {
    const close = host.lastIndexOf(']');
    if (close < 0 || !isOptionalPort(host.slice(close + 1))) return undefined;
    const zone = host.indexOf('%25');
    const decoded = zone >= 0 ? host.replace('%25', '%') : host;
    return /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]*$/.test(decoded) ? decoded : undefined;
  }
  const colon = host.lastIndexOf(':');
  if (colon >= 0 && !isOptionalPort(host.slice(colon))) return undefined;
  // Only bytes that could not stand unescaped may be escaped in a host.
  const decoded = host.replaceAll(/(?:%[89a-fA-F][0-9a-fA-F])+/g, decodeBytes);
  return /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\uffff]*$/.test(decoded) ? decoded : undefined;
}

const isOptionalPort = (text: string): boolean => text === '' || /^:[0-9]*$/.test(text);

function decodeBytes(text: string): string {
  const bytes = text.match(/[0-9a-fA-F]{2}/g) ?? [];
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}

const plainPath = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@/%[\]]*$/;

/**
 * The result of Go's `EscapedPath`: the path as written if that is a valid encoding, its default encoding otherwise.
 */
function escapePath(path: string): string {
  if (plainPath.test(path)) return path;
  const decoded = path.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, decodeBytes);
  let result = '';
  for (const byte of new TextEncoder().encode(decoded)) {
    const char = String.fromCharCode(byte);
    if (byte < 0x80 && /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(char)) result += char;
    else result += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return result;
}

/** The host without port and brackets. */
export function hostName({ host }: GoUrl): string {
  return splitHostPort(host).name;
}

/** The port, or the empty string. */
export function portOf({ host }: GoUrl): string {
  return splitHostPort(host).port;
}

function splitHostPort(host: string): { name: string; port: string } {
  const colon = host.lastIndexOf(':');
  const hasPort = colon >= 0 && /^:[0-9]*$/.test(host.slice(colon)) && colon > host.lastIndexOf(']');
  const name = hasPort ? host.slice(0, colon) : host;
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  return { name: bare, port: hasPort ? host.slice(colon + 1) : '' };
}

/** The parameters of a query; what does not decode, or has a semicolon, is left out, as Go does. */
export function parseQuery(rawQuery: string): Map<string, string[]> {
  const query = new Map<string, string[]>();
  for (const pair of rawQuery.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const key = unescapeQuery(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : unescapeQuery(pair.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    query.set(key, [...(query.get(key) ?? []), value]);
  }
  return query;
}

function unescapeQuery(text: string): string | undefined {
  if (!hasValidEscapes(text)) return undefined;
  return text.replaceAll('+', ' ').replaceAll(/(?:%[0-9a-fA-F]{2})+/g, decodeBytes);
}
