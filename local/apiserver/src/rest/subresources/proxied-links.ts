import { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';

/** The proxied program: its place under the API, and the hosts by which its pages may name it. */
export interface ProxiedPlace {
  /** `/api/v1/namespaces/NAMESPACE/pods/NAME/proxy`. */
  readonly prefix: string;
  readonly hosts: readonly string[];
}

interface ProxiedPage {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly contentType: string;
  readonly stream: AsyncIterable<Uint8Array>;
}

/** The attributes that hold links, by element: those that upstream knows. */
const linkAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    a: ['href'],
    applet: ['codebase'],
    area: ['href'],
    audio: ['src'],
    base: ['href'],
    blockquote: ['cite'],
    body: ['background'],
    button: ['formaction'],
    command: ['icon'],
    del: ['cite'],
    embed: ['src'],
    form: ['action'],
    frame: ['longdesc', 'src'],
    head: ['profile'],
    html: ['manifest'],
    iframe: ['longdesc', 'src'],
    img: ['longdesc', 'src', 'usemap'],
    input: ['src', 'usemap', 'formaction'],
    ins: ['cite'],
    link: ['href'],
    object: ['classid', 'codebase', 'data', 'usemap'],
    q: ['cite'],
    script: ['src'],
    source: ['src'],
    video: ['poster', 'src'],
  }),
);

const startTag = /^<([a-z][^\s/>]*)(?:"[^"]*"|'[^']*'|[^"'>])*>/i;
const attribute = /([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'=<>`]+)/g;
const rawElements = new Set(['script', 'style', 'textarea', 'title']);
/** A longer tag is passed on as it is. */
const maxTag = 64 * 1024;

/**
 * Leads the links of an answer back through the proxy: that of a redirect, and those of a page. Links that are relative, or that lead to another
 * host, stay as they are.
 */
export function rewriteLinks(page: ProxiedPage, place: ProxiedPlace): ProxiedPage {
  const { location } = page.headers;
  if (typeof location === 'string' && location !== '')
    return { ...page, headers: { ...page.headers, location: proxiedLink(location, place) } };
  if (!/^text\/html\s*(?:;|$)/i.test(page.contentType)) return page;
  const { 'content-encoding': encoding, 'content-length': _, ...headers } = page.headers;
  const decoder = { gzip: createGunzip, deflate: createInflate }[String(encoding)];
  if (encoding !== undefined && !decoder) return page;
  const bytes = decoder ? Readable.from(page.stream).pipe(decoder()) : page.stream;
  return { ...page, headers, stream: rewritten(bytes, place) };
}

/** The same link, as it is reached through the proxy. */
export function proxiedLink(link: string, { prefix, hosts }: ProxiedPlace): string {
  const [, host, rest = ''] = /^(?:https?:)?\/\/([^/?#]*)([^]*)$/i.exec(link) ?? [undefined, undefined, link];
  if (host !== undefined && !hosts.includes(host)) return link;
  if (!rest.startsWith('/') || rest.startsWith('//') || rest.startsWith(prefix))
    return host === undefined ? link : rest;
  return `${prefix}${rest}`;
}

async function* rewritten(stream: AsyncIterable<Uint8Array>, place: ProxiedPlace): AsyncIterable<Uint8Array> {
  const rewriter = new PageRewriter(place);
  // Markup is ASCII in all encodings of pages; all else passes byte by byte.
  for await (const chunk of stream) {
    const out = rewriter.push(Buffer.from(chunk).toString('latin1'));
    if (out !== '') yield Buffer.from(out, 'latin1');
  }
  const last = rewriter.finish();
  if (last !== '') yield Buffer.from(last, 'latin1');
}

/** Rewrites a page piece by piece. It holds back no more than a tag. */
class PageRewriter {
  private readonly place: ProxiedPlace;
  private rest = '';
  /** The text that ends what is passed on unread: a comment, or an element whose content is no markup. */
  private until = '';

  constructor(place: ProxiedPlace) {
    this.place = place;
  }

  push(text: string): string {
    this.rest += text;
    let out = '';
    for (let step = this.next(); step !== undefined; step = this.next()) out += step;
    return out;
  }

  finish(): string {
    return this.rest;
  }

  /** The next part of the page, or undefined when more has to come first. */
  private next(): string | undefined {
    const { rest, until } = this;
    if (rest === '') return undefined;
    if (until !== '') {
      const end = rest.toLowerCase().indexOf(until);
      if (end < 0) return this.take(rest.length - until.length + 1);
      this.until = '';
      return this.take(end) ?? '';
    }
    const open = rest.indexOf('<');
    if (open !== 0) return this.take(open < 0 ? rest.length : open);
    if (rest.startsWith('<!--')) {
      this.until = '-->';
      return this.take(4);
    }
    const [tag, name = ''] = startTag.exec(rest) ?? [];
    if (tag !== undefined) {
      if (rawElements.has(name.toLowerCase())) this.until = `</${name.toLowerCase()}`;
      this.take(tag.length);
      return rewriteTag(tag, name.toLowerCase(), this.place);
    }
    const isIncomplete = '<!--'.startsWith(rest) || /^<[a-z]/i.test(rest);
    return isIncomplete && rest.length <= maxTag ? undefined : this.take(1);
  }

  private take(length: number): string | undefined {
    if (length <= 0) return undefined;
    const taken = this.rest.slice(0, length);
    this.rest = this.rest.slice(length);
    return taken;
  }
}

function rewriteTag(tag: string, name: string, place: ProxiedPlace): string {
  const links = linkAttributes.get(name);
  if (!links) return tag;
  return tag.replace(attribute, (whole: string, key: string, equals: string, value: string) => {
    if (!links.includes(key.toLowerCase())) return whole;
    const quote = /^["']/.exec(value)?.[0] ?? '';
    const link = quote === '' ? value : value.slice(1, -1);
    const proxied = proxiedLink(link, place);
    return proxied === link ? whole : `${key}${equals}${quote}${proxied}${quote}`;
  });
}
