import { declare, type FunctionDeclaration, method, overload } from '../language/declarations.ts';
import { EvaluationError } from '../language/evaluation.ts';
import { boolType, type CelType, intType, namedType, stringType } from '../language/type.ts';
import { OpaqueValue } from '../language/value.ts';

export const semverType = namedType('kubernetes.Semver');

class SemverValue extends OpaqueValue {
  readonly type: CelType = semverType;
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof SemverValue && compare(this, other) === 0;
  }
}

const number = '(0|[1-9][0-9]*)';
const part = '[0-9A-Za-z-]+';
const strict = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${part}(?:\\.${part})*))?(?:\\+${part}(?:\\.${part})*)?$`,
);

/** Reads a version of semver 2.0.0; `normalize` forgives a `v`, leading zeros and missing parts. */
function read(text: string, normalize = false): SemverValue {
  const match = strict.exec(normalize ? normalized(text) : text);
  const prerelease = match?.[4]?.split('.') ?? [];
  if (!match || text.length > 4096 || prerelease.some((id) => /^0[0-9]+$/.test(id)))
    throw new EvaluationError(`invalid semver: ${text}`);
  return new SemverValue(
    [BigInt(match[1] as string), BigInt(match[2] as string), BigInt(match[3] as string)],
    prerelease,
  );
}

function normalized(text: string): string {
  const match = /^\s*v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(.*)$/s.exec(text);
  if (!match) return text;
  const [, major, minor, patch, rest] = match;
  if ((minor === undefined || patch === undefined) && rest !== '') return text;
  const plain = (digits = '0'): string => digits.replace(/^0+(?=[0-9])/, '');
  return `${plain(major)}.${plain(minor)}.${plain(patch)}${(rest ?? '').trimEnd()}`;
}

function isSemver(text: string, normalize = false): boolean {
  try {
    read(text, normalize);
    return true;
  } catch {
    return false;
  }
}

function compare(x: SemverValue, y: SemverValue): number {
  for (let i = 0; i < 3; i++) {
    const [left, right] = [x.numbers[i] ?? 0n, y.numbers[i] ?? 0n];
    if (left !== right) return left < right ? -1 : 1;
  }
  if (x.prerelease.length === 0 || y.prerelease.length === 0) return y.prerelease.length - x.prerelease.length;
  for (let i = 0; i < Math.min(x.prerelease.length, y.prerelease.length); i++) {
    const order = compareIdentifiers(x.prerelease[i] as string, y.prerelease[i] as string);
    if (order !== 0) return order;
  }
  return x.prerelease.length - y.prerelease.length;
}

/** Numbers come before words, and compare by value. */
function compareIdentifiers(a: string, b: string): number {
  const [left, right] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (left && right) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
  if (left !== right) return left ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

const s = semverType;
const component = (name: string, index: number): FunctionDeclaration =>
  declare(
    name,
    method(`semver_${name}`, [s], intType, ({ numbers }: SemverValue) => numbers[index] ?? 0n),
  );

/** Kubernetes' functions on semantic versions. */
export const semverLibrary: readonly FunctionDeclaration[] = [
  declare(
    'semver',
    overload('string_to_semver', [stringType], s, read),
    overload('string_bool_to_semver', [stringType, boolType], s, read),
  ),
  declare(
    'isSemver',
    overload('is_semver_string', [stringType], boolType, isSemver),
    overload('is_semver_string_bool', [stringType, boolType], boolType, isSemver),
  ),
  declare(
    'isGreaterThan',
    method('semver_is_greater_than', [s, s], boolType, (x: SemverValue, y: SemverValue) => compare(x, y) > 0),
  ),
  declare(
    'isLessThan',
    method('semver_is_less_than', [s, s], boolType, (x: SemverValue, y: SemverValue) => compare(x, y) < 0),
  ),
  declare(
    'compareTo',
    method('semver_compare_to', [s, s], intType, (x: SemverValue, y: SemverValue) => BigInt(Math.sign(compare(x, y)))),
  ),
  component('major', 0),
  component('minor', 1),
  component('patch', 2),
];
