import { getCheckingSuite, getConformanceSuite, getParsingSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { describe, expect, it } from 'vitest';
import { celEnvironment, type EnvironmentOptions } from './environment.ts';
import { equalValues } from './language/equality.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  timestampType,
  uintType,
} from './language/type.ts';
import { ArrayList, EntryMap, TypeValue, Uint, type Value } from './language/value.ts';

type Suite = ReturnType<typeof getConformanceSuite>;
type Case = Suite['tests'][number];
type ProtoValue = { kind: { case: string | undefined; value?: unknown } };
type ProtoType = { typeKind: { case: string | undefined; value?: unknown } };

/** Not part of Kubernetes' dialect: protocol buffers, containers, and extensions it does not load. */
const foreign = new Set(
  'proto2 proto3 proto2_ext wrappers enums bindings_ext block_ext encoders_ext math_ext namespace unknowns dynamic fields'.split(
    ' ',
  ),
);

class Unsupported extends Error {}

function toType({ typeKind }: ProtoType): CelType {
  const value = typeKind.value as never;
  switch (typeKind.case) {
    case 'primitive':
      return [dynType, boolType, intType, uintType, doubleType, stringType, bytesType][value as number] ?? dynType;
    case 'wellKnown':
      return [dynType, dynType, timestampType, durationType][value as number] ?? dynType;
    case 'listType':
      return listType(toType((value as { elemType: ProtoType }).elemType));
    case 'mapType': {
      const { keyType, valueType } = value as { keyType: ProtoType; valueType: ProtoType };
      return mapType(toType(keyType), toType(valueType));
    }
    case 'null':
      return nullType;
    default:
      return dynType;
  }
}

function toValue({ kind }: ProtoValue): Value {
  const value = kind.value as never;
  switch (kind.case) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
    case 'doubleValue':
    case 'bytesValue':
      return value;
    case 'int64Value':
      return BigInt(value);
    case 'uint64Value':
      return new Uint(BigInt(value));
    case 'listValue':
      return new ArrayList((value as { values: ProtoValue[] }).values.map(toValue));
    case 'mapValue':
      return EntryMap.of(
        (value as { entries: { key: ProtoValue; value: ProtoValue }[] }).entries.map((entry) => [
          toValue(entry.key),
          toValue(entry.value),
        ]),
      );
    case 'typeValue':
      return new TypeValue({ kind: 'opaque', name: value, params: [] });
    default:
      throw new Unsupported();
  }
}

function cases(suite: Suite, path = ''): [string, Case][] {
  if (foreign.has(suite.name)) return [];
  const name = `${path}/${suite.name}`;
  return [
    ...suite.tests.map((test): [string, Case] => [`${name}/${test.name}`, test]),
    ...suite.suites.flatMap((each) => cases(each, name)),
  ];
}

/** Where Kubernetes or our numbers differ on purpose, with the reason. */
const different = new Map([
  ['dyn_no_denotation', 'dyn is a name like any other here'],
  ['big_lossy_double', 'we compare ints and doubles exactly'],
  ['big_double_int', 'we compare ints and doubles exactly'],
  ['zero_based_double', 'indices are ints'],
  ['zero_based_uint', 'indices are ints'],
  ['infinity support', 'Kubernetes prints infinity as Go does'],
  ['halfway', 'rounding of exactly half'],
  ['out_of_range', 'newer cel-go answers -1'],
]);

/** Runs one case: passed, not for us, or what went wrong. */
function run({ original }: Case, options: EnvironmentOptions = {}): 'passed' | 'skipped' | string {
  try {
    const variables: Record<string, CelType> = {};
    const bindings: Record<string, Value> = {};
    for (const { name, declKind } of original.typeEnv) {
      if (declKind.case !== 'ident') return 'skipped';
      variables[name] = toType(declKind.value.type as ProtoType);
    }
    for (const [name, binding] of Object.entries(original.bindings)) {
      bindings[name] = toValue(binding.kind.value as ProtoValue);
      variables[name] ??= dynType;
    }
    const { case: matcher, value: matched } = original.resultMatcher;
    if (matcher !== 'value' && matcher !== 'evalError' && matcher !== undefined) return 'skipped';
    const compiled = celEnvironment({ ...options, variables }).compile(original.expr);
    // We always check types, and want literals to be of one type; the suite does neither.
    if (!compiled.program) return 'skipped';
    const { value, error } = compiled.program.run((name) => bindings[name], 1e9);
    if (matcher === 'evalError') return error ? 'passed' : `expected an error, got ${String(value)}`;
    if (error || value === undefined) return error?.message ?? 'no value';
    const expected = matcher === 'value' ? toValue(matched as ProtoValue) : true;
    const isSame =
      expected instanceof TypeValue
        ? value instanceof TypeValue && value.type.name === expected.type.name
        : equalValues(value, expected) || (Number.isNaN(expected) && Number.isNaN(value));
    return isSame ? 'passed' : `got ${String(value)}`;
  } catch (error) {
    if (error instanceof Unsupported) return 'skipped';
    throw error;
  }
}

describe("CEL's own suite", () => {
  it('gives the values it asks for', () => {
    let passed = 0;
    const failures: string[] = [];
    for (const [name, test] of cases(getConformanceSuite())) {
      if (test.original.container !== '' || test.original.disableMacros || test.original.checkOnly) continue;
      if ([...different.keys()].some((part) => name.includes(part))) continue;
      const result = run(test);
      if (result === 'passed') passed++;
      else if (result !== 'skipped') failures.push(`${name}: ${test.original.expr}: ${result}`);
    }
    expect(failures).toEqual([]);
    expect(passed).toBeGreaterThan(1100);
  });

  it('reports the errors of cel-go for expressions that do not compile', () => {
    let same = 0;
    const failures: string[] = [];
    for (const [, { original, error }] of [...cases(getParsingSuite()), ...cases(getCheckingSuite())]) {
      if (error === undefined || original.typeEnv.length > 0 || original.container !== '') continue;
      const expected = error.trim().replaceAll('ERROR: :', 'ERROR: <input>:');
      const actual = celEnvironment().compile(original.expr).error?.trim() ?? '';
      // The suite has no optionals, no comparison of mixed numbers, and other limits than Kubernetes.
      const elsewhere =
        /unsupported syntax|limit exceeded|recursion|'_[<>]=?_'|existsOne/.test(expected) ||
        original.expr.includes('a[1][2]');
      if (actual === expected) same++;
      else if (!elsewhere) failures.push(original.expr);
    }
    // Kubernetes wants entries of one type, and we recover from fewer syntax errors than the generated parser.
    expect(failures).toEqual(['{foo: 5, bar: "xyz"}', '{foo: 5, bar: "xyz", }', 'func{{a}}', '--']);
    expect(same).toBeGreaterThan(140);
  });
});

describe("cel-go's extensions", () => {
  it.each([
    ['encoders_ext', 3],
    ['math_ext', 100],
    ['string_ext', 100],
  ])('give the values that the suite asks for: %s', (name, least) => {
    const suite = getConformanceSuite().suites.find((each) => each.name === name);
    let passed = 0;
    const failures: string[] = [];
    for (const [title, test] of suite ? cases({ ...suite, name: 'extension' }) : []) {
      if ([...different.keys()].some((part) => title.includes(part))) continue;
      const result = run(test, { isPlain: true, hasExtensions: true });
      if (result === 'passed') passed++;
      else if (result !== 'skipped') failures.push(`${title}: ${test.original.expr}: ${result}`);
    }
    expect(failures).toEqual([]);
    expect(passed).toBeGreaterThan(least);
  });
});
