import { describe, expect, it } from 'vitest';
import { isManifestError } from '../manifest-error.ts';
import { parseObjects } from './parse-objects.ts';

function failure(text: string): { code: string; message: string; place: unknown } {
  try {
    parseObjects(text, 'a.yaml');
  } catch (error) {
    if (isManifestError(error)) return { code: error.code, message: error.message, place: error.place };
  }
  throw new Error('it was read');
}

const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;

describe('parseObjects', () => {
  it('knows source, document and line of every object, and skips empty documents', () => {
    const items = parseObjects(`# a comment\n---\n${map('a')}---\n---\n${map('b')}`, 'a.yaml');
    expect(items.map(({ object, origin }) => [object.metadata.name, origin])).toEqual([
      ['a', { source: 'a.yaml', index: 0, line: 3 }],
      ['b', { source: 'a.yaml', index: 2, line: 9 }],
    ]);
  });

  it('reads JSON, and what Lists hold, also of lists that say what their items are', () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }],
    };
    expect(parseObjects(JSON.stringify(list), 'l.json')[0]?.object.kind).toBe('Secret');
    const typed = `apiVersion: apps/v1\nkind: DeploymentList\nitems:\n- metadata: {name: web}\n`;
    expect(parseObjects(typed, 't.yaml')[0]?.object).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
    });
  });

  it.each([
    ['a text that is no YAML', `${map('a')}---\nkind: [`, 'PARSE', /^a\.yaml:\d+.*did not find expected/],
    ['a document without a kind', 'apiVersion: v1\nmetadata: {name: a}', 'PARSE', /^a\.yaml:1: .*it has no kind/],
    ['a document that is a list', '- a\n- b', 'PARSE', /^a\.yaml:1: .*no Kubernetes object/],
    ['an HTML page', '<html><body>404</body></html>', 'PARSE', /no Kubernetes object/],
    ['metadata that is text', 'apiVersion: v1\nkind: A\nmetadata: b', 'PARSE', /metadata of the A is no mapping/],
    [
      'a name that YAML takes for a number',
      'apiVersion: v1\nkind: A\nmetadata: {name: 12}',
      'PARSE',
      /has to be a text, not 12: quote/,
    ],
    ['a key twice', 'apiVersion: v1\nkind: A\nkind: B', 'PARSE', /^a\.yaml:3: .*already set/],
    [
      'aliases that blow up',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
        .split('')
        .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[index]}`).join(',')}]`)
        .join('\n')}`,
      'PARSE',
      /alias/,
    ],
  ])('refuses %s, and says where', (_what, text, code, message) => {
    expect(failure(text)).toMatchObject({ code, message: expect.stringMatching(message) as string });
  });

  it('is not fooled by keys that mean something to JavaScript', () => {
    const [item] = parseObjects(`${map('a')}data: {__proto__: {polluted: yes}}`, 'a.yaml');
    expect(Object.hasOwn(item?.object.data as object, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
