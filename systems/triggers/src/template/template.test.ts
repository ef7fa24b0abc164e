import { describe, expect, it } from 'vitest';
import { resolveParams } from './resolve-params.ts';
import { resolveResources } from './resolve-resources.ts';
import { type References, resolveTrigger } from './resolve-trigger.ts';

const event = {
  body: JSON.stringify({
    ref: 'main',
    quote: 'say "hi"\n',
    html: '<&>',
    big: 1.2345678901234567e19,
    list: [{ name: 'a', n: 1 }, { name: 'b' }],
    none: null,
  }),
  headers: { 'X-Github-Event': ['push', 'again'] },
  extensions: { sha: 'abc', deep: { list: [1, 2] } },
  eventId: 'id-1',
};
const value = (text: string, fallback?: string) =>
  resolveParams(
    [{ name: 'p', value: text }],
    fallback === undefined ? undefined : [{ name: 'p', default: fallback }],
    event,
  ).get('p');

describe('bindings', () => {
  it.each([
    ['plain', 'plain'],
    ['$(body.ref)', 'main'],
    ['$(.body.ref) $({body.ref}) $({.body.ref})', 'main main main'],
    ['$(header.x-github-event)', 'push,again'],
    ['$(extensions.deep.list[1])', '2'],
    ['$(context.eventID)', 'id-1'],
    ['$(body.quote)', String.raw`say \"hi\"\n`],
    ['$(body.html)', String.raw`\u003c\u0026\u003e`],
    ['$(body.big)', '12345678901234567000'],
    ['$(body.none)', 'null'],
    ['$(body.list[*].name)', '["a","b"]'],
    ['$(body.list[?(@.name=="a")].n)', '1'],
    ['$(body.list[0])', '{"n":1,"name":"a"}'],
    ['$()', ''],
    ['$(body.ref', '$(body.ref'],
    ['a$(body.ref)b$(body.ref)', 'amainbmain'],
  ])('read %s', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  it('fall back to the default of the template', () => {
    expect(value('$(body.nosuch)', 'default')).toBe('default');
    expect(() => value('$(body.nosuch)')).toThrow(
      'failed to ApplyEventValuesToParams: failed to replace JSONPath value for param p: $(body.nosuch): nosuch is not found',
    );
  });

  it('need a body that is JSON, or none', () => {
    expect(() => resolveParams([], undefined, { ...event, body: '{' })).toThrow(
      'failed to marshal event: failed to unmarshal request body: unexpected end of JSON input',
    );
    expect(resolveParams([{ name: 'p', value: '$(body)' }], undefined, { ...event, body: '' }).get('p')).toBe('null');
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(() => resolveParams([], undefined, { ...event, body: deep })).toThrow('exceeded max depth');
  });
});

describe('templates', () => {
  const resolve = (text: string, params: Readonly<Record<string, string>>, annotations = {}) =>
    resolveResources(
      { metadata: { name: 't', annotations }, spec: { resourcetemplates: [{ kind: 'X', text, id: '$(uid)' }] } },
      new Map(Object.entries(params)),
      'uid-1',
    )[0];

  it('get values as text in their JSON', () => {
    expect(resolve('$(tt.params.a)-$(tt.params.b) $(params.c)', { a: '1', b: '2' })).toBe(
      '{"kind":"X","text":"1-2 $(params.c)","id":"uid-1"}',
    );
    expect(resolve('$(tt.params.a)', { a: '$(tasks.x.results.y)' })).toContain('"$$(tasks.x.results.y)"');
    expect(resolve('$(tt.params.a)', { a: 'x"y' }, { 'triggers.tekton.dev/old-escape-quotes': 'true' })).toContain(
      String.raw`x\"y`,
    );
  });

  it('do not read variables that a value brings along', () => {
    expect(resolve('$(tt.params.a)', { a: '$(tt.params.b)', b: 'secret' })).toContain('"$$(tt.params.b)"');
    expect(resolve('$(tt.params.a)', { a: "$&$'$1" })).toContain(`"$&$'$1"`);
  });
});

describe('references', () => {
  const missing = (kind: string) => (name: string) => {
    throw new Error(`${kind} "${name}" not found`);
  };
  const references: References = {
    binding: (name) =>
      name === 'b' ? { spec: { params: [{ name: 'x', value: '1' }] } } : missing('triggerbinding')(name),
    clusterBinding: () => ({ spec: { params: [{ name: 'y', value: '2' }] } }),
    template: missing('triggertemplate'),
  };
  const template = { spec: { resourcetemplates: [] } };

  it('are followed in order', () => {
    const bindings = [{ ref: 'b' }, { ref: 'c', kind: 'ClusterTriggerBinding' }, { name: 'z', value: '3' }];
    expect(resolveTrigger({ bindings, template }, references).params.map(({ name }) => name)).toEqual(['x', 'y', 'z']);
  });

  it('that lead nowhere are errors in the words of upstream', () => {
    expect(() => resolveTrigger({ bindings: [{ ref: 'b' }, { name: 'x', value: '' }], template }, references)).toThrow(
      'failed to resolve bindings: duplicate param name: x',
    );
    expect(() => resolveTrigger({ bindings: [{ ref: 'no' }], template }, references)).toThrow(
      'failed to resolve bindings: error getting TriggerBinding : triggerbinding "no" not found',
    );
    expect(() => resolveTrigger({ bindings: [], template: { ref: 't' } }, references)).toThrow(
      'error getting TriggerTemplate t: triggertemplate "t" not found',
    );
  });
});
