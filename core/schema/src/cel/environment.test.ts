import { describe, expect, it } from 'vitest';
import { celEnvironment } from './environment.ts';
import { jsonValue } from './json-value.ts';
import { equalValues } from './language/equality.ts';
import { boolType, dynType, listType, stringType } from './language/type.ts';
import { authorizerType, authorizerValue } from './library/authorizer.ts';

const environment = celEnvironment({ variables: { object: dynType, names: listType(stringType), flag: boolType } });
const object = { metadata: { name: 'web', labels: { app: 'a' } }, spec: { replicas: 3, ratio: 0.5, list: [1, 2, 3] } };
const variables: Record<string, unknown> = { object, names: ['b', 'a'], flag: true };

function evaluate(text: string, limit = 1e6) {
  const { program, error } = environment.compile(text);
  if (!program) throw new Error(error);
  return program.run((name) => jsonValue(variables[name]), limit);
}

describe('Kubernetes functions', () => {
  it.each([
    ["'abc'.charAt(1) == 'b' && 'tacocat'.indexOf('c') == 2 && 'a,b'.split(',') == ['a', 'b']"],
    ["'%s is %d'.format([object.metadata.name, 3]) == 'web is 3'"],
    ["['a', 'b'].join('-') == 'a-b' && 'AbC'.lowerAscii() == 'abc' && ' x '.trim() == 'x'"],
    ["'abc 123'.find('[0-9]+') == '123' && '1 2 3'.findAll('[0-9]', 2) == ['1', '2']"],
    ["names.isSorted() == false && [1, 2].sum() == 3 && [1, 5, 2].max() == 5 && names.indexOf('a') == 1"],
    [
      '[3, 1].sort() == [1, 3] && [1, 1].distinct() == [1] && [[1], [2]].flatten() == [1, 2] && lists.range(2) == [0, 1]',
    ],
    ["[{'n': 2}, {'n': 1}].sortBy(x, x.n)[0].n == 1 && [1, 2].reverse() == [2, 1] && [1, 2, 3].slice(1, 2) == [2]"],
    ['sets.contains([1, 2, 3], [2]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 2], [2, 1])'],
    ["url('https://example.com:80/p?a=b').getHost() == 'example.com:80' && !isURL('../x')"],
    ["url('https://example.com/p?a=b&a=c').getQuery() == {'a': ['b', 'c']}"],
    ["ip('10.0.0.1').family() == 4 && isIP('::1') && ip('::1').isLoopback() && ip.isCanonical('::1')"],
    ["cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR(cidr('10.1.0.0/16'))"],
    [
      "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && string(ip('::1')) == '::1' && cidr('::/0').prefixLength() == 0",
    ],
    [
      "quantity('1.5Gi').isGreaterThan(quantity('1G')) && quantity('500m').add(quantity('1')).compareTo(quantity('1500m')) == 0",
    ],
    ["isQuantity('5k') && !isQuantity('x') && quantity('5k').asInteger() == 5000 && sign(quantity('-1')) == -1"],
    [
      "semver('1.2.3-rc.1').isLessThan(semver('1.2.3')) && isSemver('v1.2', true) && semver('v01.2', true).minor() == 2",
    ],
    ["!format.dns1123Label().validate('web').hasValue() && format.dns1123Label().validate('Bad').hasValue()"],
    ["format.named('uuid').hasValue() && !format.named('nosuch').hasValue()"],
    ['object.?spec.?nosuch.orValue(7) == 7 && object.spec.?replicas.optMap(r, r + 1).value() == 4'],
    [
      "object[?'x'].hasValue() == false && [1, 2][?5].or(optional.of(9)).value() == 9 && [?optional.none(), 1].size() == 1",
    ],
    [
      "{'a': 1, 'b': 2}.transformMap(k, v, v * 10) == {'a': 10, 'b': 20} && [5, 6].transformList(i, v, i + v) == [5, 7]",
    ],
    [
      'object.spec.list.all(x, x > 0) && object.spec.list.exists_one(x, x == 2) && object.spec.list.filter(x, x > 1).size() == 2',
    ],
    ["timestamp('2024-01-01T00:00:00Z') + duration('24h') == timestamp('2024-01-02T00:00:00Z')"],
    ["timestamp('2024-07-01T00:00:00Z').getHours('America/New_York') == 20 && duration('90m').getHours() == 1"],
    ['type(object.spec.replicas) == int && type(object.spec.ratio) == double && has(object.metadata.labels)'],
    ['flag || 1 / 0 == 1'],
    ['[1, 0, 2].exists(x, 4 / x == 2)'],
  ])('hold in %s', (text) => {
    expect(evaluate(text)).toMatchObject({ value: true });
  });

  it.each([
    ['1 / 0 == 1', 'division by zero'],
    ['object.nosuch == 1', 'no such key: nosuch'],
    ['[1][3] == 1', 'index out of bounds: 3'],
    ['9223372036854775807 + 1 == 0', 'integer overflow'],
    ['object.metadata.name + 1 == 2', 'no such overload'],
    ["int('x') == 1", 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      "ip('x').family() == 4",
      'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP',
    ],
    ['[1, 0].all(x, 4 / x == 4)', 'division by zero'],
  ])('%s fails: %s', (text, message) => {
    expect(evaluate(text).error?.message).toBe(message);
  });

  it('ask for permissions', () => {
    const authorizing = celEnvironment({ variables: { authorizer: authorizerType } });
    const { program } = authorizing.compile(
      "authorizer.group('apps').resource('deployments').namespace('x').check('create').allowed()",
    );
    const asked: unknown[] = [];
    const authorizer = authorizerValue((question) => {
      asked.push(question);
      return { allowed: true };
    });
    const outcome = program?.run(() => authorizer, 1e6);
    expect(outcome).toMatchObject({ value: true });
    expect(outcome?.cost).toBeGreaterThan(350_000);
    expect(asked).toEqual([{ group: 'apps', resource: 'deployments', namespace: 'x', verb: 'create' }]);
  });
});

describe('compilation', () => {
  it.each([
    ['nosuch', "undeclared reference to 'nosuch' (in container '')"],
    ["names == 'x'", "found no matching overload for '_==_' applied to '(list(string), string)'"],
    ['names.all(x, x)', "expected type 'bool' but found 'string'"],
    ['names.map(1, x)', 'argument is not an identifier'],
    ["flag && 'x'", "expected type 'bool' but found 'string'"],
    ["[1, 'a']", "expected type 'int' but found 'string'"],
    ["duration('x')", 'invalid duration argument'],
    ["'x'.matches('(')", 'invalid matches argument'],
    ['flag.x', "type 'bool' does not support field selection"],
    ['if', 'reserved identifier: if'],
    ['names.exists(x', "Syntax error: missing ')' at '<EOF>'"],
    ['(1 + 2', "Syntax error: missing ')' at '<EOF>'"],
    ['names[0', "Syntax error: missing ']' at '<EOF>'"],
    [`${'('.repeat(300)}1${')'.repeat(300)}`, 'expression recursion limit exceeded: 250'],
    [`1${'+1'.repeat(300)}`, 'max recursion depth exceeded'],
    ['x'.repeat(100_001), 'expression code point size exceeds limit: size: 100001, limit 100000'],
  ])('refuses %s', (text, message) => {
    expect(environment.compile(text).error).toContain(message);
  });
});

describe('a budget', () => {
  it('ends expressions that would run for ever', () => {
    const text = 'lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0)))';
    expect(evaluate(text, 100_000).error?.message).toBe('operation cancelled: actual cost limit exceeded');
    expect(evaluate("'x'.matches('(x+x+)+y')", 1000)).toMatchObject({ value: false });
  });

  it('does not let loops that build lists and maps take more than linear time', () => {
    const built = evaluate(
      'lists.range(20000).map(x, x).size() + lists.range(20000).transformMap(i, v, v).size()',
      1e9,
    );
    expect(built.value !== undefined && equalValues(built.value, 40000n)).toBe(true);
  });
});
