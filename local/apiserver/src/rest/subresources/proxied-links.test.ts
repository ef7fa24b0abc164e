import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { proxiedLink, rewriteLinks } from './proxied-links.ts';

const prefix = '/api/v1/namespaces/default/pods/web/proxy';
const place = { prefix, hosts: ['10.244.0.2:80', 'api.example:6443'] };

it.each([
  ['/a/b?c=d#e', `${prefix}/a/b?c=d#e`],
  ['/', `${prefix}/`],
  ['a/b', 'a/b'],
  ['../a', '../a'],
  ['#part', '#part'],
  ['', ''],
  [`${prefix}/a`, `${prefix}/a`],
  ['http://10.244.0.2:80/a', `${prefix}/a`],
  ['//api.example:6443/a', `${prefix}/a`],
  ['https://elsewhere.example/a', 'https://elsewhere.example/a'],
  ['//elsewhere.example/a', '//elsewhere.example/a'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
])('the link %s is %s', (link, proxied) => {
  expect(proxiedLink(link, place)).toBe(proxied);
});

async function* inChunks(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function pageOf(bytes: Uint8Array, headers: Record<string, string> = {}, size = 7): Promise<string> {
  const contentType = 'text/html; charset=utf-8';
  const { stream } = rewriteLinks({ headers, contentType, stream: inChunks(bytes, size) }, place);
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const page = `<!doctype html><A HREF="/x" title='/no'>ü < 1 &lt;</A><img src=/i.png><!-- <a href="/c"> --><form action='/f'>
<script src="/s.js">if (a < b) x = '<a href="/raw">';</script><script></script><a href="/y"></a><a href="rel" data-x="a>b">y</a><link href="/l"`;
const proxied = page
  .replace('"/x"', `"${prefix}/x"`)
  .replace('=/i.png', `=${prefix}/i.png`)
  .replace('"/y"', `"${prefix}/y"`)
  .replace("'/f'", `'${prefix}/f'`)
  .replace('"/s.js"', `"${prefix}/s.js"`);

it.each([1, 2, 7, 10_000])(
  'rewrites the links of a page that comes in pieces of %i bytes, and nothing else',
  async (size) => {
    expect(await pageOf(Buffer.from(page), {}, size)).toBe(proxied);
  },
);

it('rewrites compressed pages, and passes on what it cannot read', async () => {
  expect(await pageOf(gzipSync(page), { 'content-encoding': 'gzip' })).toBe(proxied);
  expect(await pageOf(Buffer.from(page), { 'content-encoding': 'br' })).toBe(page);
});

it('rewrites a redirect', () => {
  const stream = inChunks(Buffer.from(''), 1);
  const { headers } = rewriteLinks({ headers: { location: '/a' }, contentType: 'text/html', stream }, place);
  expect(headers).toEqual({ location: `${prefix}/a` });
});
