import { readFileSync, statSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Lane, Place } from './test-support.ts';

/** References to results and artifacts of earlier steps, and when expressions. */
export function substitutionCases(lane: () => Lane): void {
  let place: Place;
  beforeEach(() => {
    place = new Place(lane());
    const results = '/tekton/steps/step-a/results';
    place.write(`${results}/text`, 'plain text\n');
    place.write(`${results}/quoted`, '"a\\u0041"');
    place.write(`${results}/list`, '["x","y z",""]\n');
    place.write(`${results}/empty`, '[]');
    place.write(`${results}/numbers`, '[1,2]');
    place.write(`${results}/object`, '{"key":"value","other":null}');
    place.write(`${results}/blank`, '');
    place.write(
      '/tekton/steps/step-a/artifacts/provenance.json',
      JSON.stringify({
        outputs: [
          {
            name: 'image',
            buildOutput: true,
            values: [{ uri: 'pkg:a&b', digest: { sha256: 'x', md5: 'y' }, extra: 1 }],
          },
          { name: 'none' },
        ],
        inputs: [{ name: 'source', values: [] }],
      }),
    );
  });
  afterEach(() => place.remove());

  const print = (...args: string[]) => place.step([], ['printf', '[%s]', ...args]);
  const of = (result: string) => `$(steps.a.results.${result})`;

  test.each([
    [[of('text')], '[plain text\n]'],
    [[`a${of('text')}b${of('quoted')}`], '[aplain text\nbaA]'],
    [[of('list[1]')], '[y z]'],
    [['1', of('list[*]'), '2'], '[1][x][y z][][2]'],
    [[of('empty[*]')], '[]'],
    [[of('object.key'), of('object.other'), of('object.no')], '[value][][]'],
    [[of('numbers')], '[[1,2]]'],
    [[of('blank')], '[]'],
    [[of('list')], '[]'],
    [[of('object[*]')], '[]'],
    [['$(steps.a)', '$(params.x)', '$(steps.a.results'], '[$(steps.a)][$(params.x)][$(steps.a.results]'],
    [['$(steps.a.\nresults.text)'], '[$(steps.a.\nresults.text)]'],
  ])('%j becomes %j', async (args, expected) => {
    const { stdout, stderr, code } = await print(...args);
    expect({ stdout, stderr, code }).toEqual({ stdout: expected, stderr: '', code: 0 });
  });

  test.each([
    [of('missing'), 'failed to find replacement for $(steps.a.results.missing) to replace $(steps.a.results.missing)'],
    [
      `x${of('list[*]')}`,
      'value must be in "$(steps.<step-name>.results.<result-name>[*])" format, when using array results',
    ],
    [of('list[7]'), 'failed to find replacement for $(steps.a.results.list[7]) to replace $(steps.a.results.list[7])'],
    [of('a.b.c'), 'failed to find replacement for $(steps.a.results.a.b.c) to replace $(steps.a.results.a.b.c)'],
  ])('%j cannot be replaced: that is logged and the step runs with the text', async (arg, message) => {
    const { stdout, stderr, code } = await print(of('text'), arg);
    expect({ stdout, code }).toEqual({ stdout: `[${of('text')}][${arg}]`, code: 0 });
    expect(stderr).toBe(
      `{time} ERROR Error while substituting step results: error="${message.replaceAll('"', '\\"')}"\n`,
    );
  });

  test('the environment is replaced too, and a failure there leaves the command alone', async () => {
    const env = { ONE: `<${of('text')}>`, TWO: '$(steps.a.outputs.image)' };
    const good = await place.step([], ['sh', '-c', 'printf "%s|%s" "$ONE" "$TWO"'], { env });
    expect(good.stdout).toBe('<plain text\n>|[{"digest":{"md5":"y","sha256":"x"},"uri":"pkg:a\\u0026b"}]');
    const bad = await place.step([], ['printf', of('text')], { env: { ONE: of('missing') } });
    expect(bad.stdout).toBe(of('text'));
    expect(bad.stderr).toMatch(/error="open \S+\/missing: no such file or directory"\n$/);
  });

  test('artifacts become the JSON of their values', async () => {
    const { stdout, stderr } = await print(
      '$(steps.a.outputs.image)',
      '$(steps.a.outputs.none)',
      'x $(steps.a.inputs.source)',
    );
    expect(stderr).toBe('');
    expect(stdout).toBe('[[{"digest":{"md5":"y","sha256":"x"},"uri":"pkg:a\\u0026b"}]][null][x []]');
  });

  test('artifacts that are not there are logged and left as they are', async () => {
    const { stdout, stderr } = await print('$(steps.a.outputs.other)');
    expect(stdout).toBe('[$(steps.a.outputs.other)]');
    expect(stderr).toBe(
      '{time} ERROR Error while substituting step artifacts: error="values for template $(steps.a.outputs.other) not found"\n',
    );
  });

  test('a script with artifacts runs as a changed copy', async () => {
    const script = place.write('/tekton/scripts/script-0-abcde', '#!/bin/sh\necho "$0" \'$(steps.a.outputs.none)\'\n');
    const { stdout } = await place.step([], [script], { env: { TMPDIR: place.root } });
    const [, copy = ''] = /^(\S+\/script-\w{6}) null\n$/.exec(stdout) ?? [];
    expect(statSync(copy).mode & 0o777).toBe(0o755);
    expect(readFileSync(script, 'utf8')).toContain('$(steps.a.outputs.none)');
  });

  const when = (...expressions: object[]) =>
    place.step(['--when_expressions', JSON.stringify(expressions)], ['echo', 'runs']);

  test.each([
    [{ input: 'a', operator: 'in', values: ['b', 'a'] }, true],
    [{ input: 'a', operator: 'notin', values: ['a'] }, false],
    [{ input: 'a', operator: 'in' }, false],
    [{ input: 'plain text\n', operator: 'in', values: ['$(steps.a.results.text)'] }, true],
    [{ input: 'y z', operator: 'in', values: ['$(steps.a.results.list[*])'] }, true],
    [{ input: '$(steps.a.results.object.key)', operator: 'notin', values: ['value'] }, false],
    [{ CEL: "'$(steps.a.results.object.key)' == 'value'" }, true],
  ])('%j: %j', async (expression, runs) => {
    const { stdout, code } = await when(expression);
    expect({ stdout, code }).toEqual({ stdout: runs ? 'runs\n' : '', code: 0 });
  });

  test('all when expressions must hold', async () => {
    const yes = { input: 'a', operator: 'in', values: ['a'] };
    expect((await when(yes, { cel: 'true' })).stdout).toBe('runs\n');
    expect((await when(yes, { cel: 'false' })).stdout).toBe('');
    expect((await when({ ...yes, input: 'b' }, { cel: 'true' })).stdout).toBe('');
  });

  test.each([
    ['{}', 'json: cannot unmarshal object into Go value of type types.WhenExpressions'],
    ['[{"values":"a"}]', 'json: cannot unmarshal string into Go value of type []string'],
    ['[', 'unexpected end of JSON input'],
  ])('when expressions that are no such thing are fatal: %s', async (text, message) => {
    const { code, stderr } = await place.step(['--when_expressions', text], ['true']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `{time} ${message}\n` });
  });

  test.each([
    ["'a' == 'a'", true],
    ["'a' != 'a'", false],
    ['1 < 2 && 2.5 >= 2.5 && "b" > "a"', true],
    ["'a' in ['b', 'a']", true],
    ["!('a' in [])", true],
    ['false || (true && !false)', true],
    ["size('héé') == 3 && [1, 2, 3,].size() == 3", true],
    ["'main'.startsWith('ma') && 'main'.endsWith('in') && 'main'.contains('ai')", true],
    ["'v1.20'.matches('^v[0-9]+\\\\.[0-9]+$')", true],
    ["'v1.20'.matches(r'^v\\d+\\.(?:\\d+?)$')", true],
    ["'x-y'.matches(r'^[\\w-]+$') && !'x y'.matches(r'^[\\w\\-]+$') && 'a]'.matches(r'^[a\\]]+$')", true],
    ["'{a}'.matches('^{a}$') && 'aaa'.matches('^a{2,3}$')", true],
    ['2 + 3 * 4 == 14 && 7 / 2 == 3 && -7 % 3 == -1', true],
    ['(1 == 1 ? "yes" : "no") == "yes"', true],
    ["[1, 2][1] == 2 && 'a' + 'b' == 'ab'", true],
    ['0x10 == 16 && 1e3 == 1000.0 && 5u > 4u', true],
    ["int('42') == 42 && string(1.5) == '1.5' && double('2') == 2.0 && bool('true')", true],
    ["'\\u00e9\\x41\\101\\n' == 'éAA' + '''\n'''", true],
    ['-9223372036854775808 < 0', true],
    ['1 / 0 == 1 || true', true],
    ['[1, 2][5] == 1 && false', false],
    ['true // and that is all', true],
    ['null == null', true],
  ])('CEL %s is %j', async (cel, runs) => {
    const { stdout, stderr, code } = await when({ cel });
    expect({ stdout, code, stderr: runs ? stderr : '' }).toEqual({ stdout: runs ? 'runs\n' : '', code: 0, stderr: '' });
  });

  test.each([
    ['1 + 1', 'the CEL expression 1 + 1 is not evaluated to a boolean'],
    ["1 == 'a'", "found no matching overload for '_==_' applied to '(int, string)'"],
    ["true || 'a'", "found no matching overload for '_||_' applied to '(bool, string)'"],
    ["1 in ['a']", "found no matching overload for '@in' applied to '(int, list(string))'"],
    ['foo == 1', "undeclared reference to 'foo' (in container '')"],
    ['bar()', "undeclared reference to 'bar' (in container '')"],
    ["['a'].exists(x, x == 'a')", "the macro 'exists' is not supported by this entrypoint"],
    ["{'a': 1}", 'maps are not supported by this entrypoint'],
    ["'a' ==", "Syntax error: mismatched input '<EOF>'"],
    ["'a' == 'a' 'b'", "Syntax error: mismatched input '''"],
    ["'a", "Syntax error: token recognition error at: ''a'"],
    ['1 / 0 == 1', 'division by zero'],
    ['9223372036854775807 + 1 == 0', 'return error for overflow'],
    ["'a'.matches('(')", 'error parsing regexp'],
    ["'a'.matches('(?i)A')", '(? in the regular expression is not supported by this entrypoint'],
    ['('.repeat(150), 'expression recursion limit exceeded'],
    ['!'.repeat(150), 'expression recursion limit exceeded'],
    ['-'.repeat(150), 'expression recursion limit exceeded'],
  ])('CEL %s fails the step', async (cel, message) => {
    const { stdout, stderr, code } = await when({ cel });
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain('{time} Error executing command: ');
    expect(stderr).toContain(message);
    expect(place.has('/tekton/run/0/out.err')).toBe(true);
  });

  test('an error in CEL shows its place', async () => {
    const { stderr } = await when({ cel: 'true &&\n  foo' });
    expect(stderr).toBe(
      "{time} Error executing command: ERROR: <input>:2:3: undeclared reference to 'foo' (in container '')\n |   foo\n | ..^\n",
    );
  });

  test('no expression, however odd, does more than fail the step', async () => {
    const words = `'a' "b" ''' r' 1 2u .5 0x 1e true null foo size int matches in '[a-' '(?:x' 'a{9}' '\\\\' 'a'.matches('`;
    const signs = '( ) [ ] , . ? : == != < >= && || ! - + * / % // { } \\ é';
    const pieces = `${words} ${signs}`.split(' ').concat(' ', '\n');
    const odd = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(odd, { minLength: 1, maxLength: 3 }), async (expressions) => {
        const { code, signal } = await when(...expressions.map((cel) => ({ cel })));
        expect({ known: code === 0 || code === 1, signal }).toEqual({ known: true, signal: null });
      }),
      { numRuns: 100 },
    );
  });

  test.each(['(a{1000}){1000}', 'a{1001}', '(((a{99}){99}){99})'])(
    'a regular expression that would take all memory is refused: %s',
    async (pattern) => {
      const { stderr, code } = await when({ cel: `'a'.matches('${pattern}')` });
      expect(code).toBe(1);
      expect(stderr).toMatch(/repetitions? in the regular expression is not supported by this entrypoint/);
    },
  );
}
