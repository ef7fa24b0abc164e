import { describe, expect, it } from 'vitest';
import {
  validateCIdentifier,
  validateConfigMapKey,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateEnvVarName,
  validateHttpHeaderName,
  validateLabelValue,
  validatePathSegmentName,
  validatePathSegmentPrefix,
  validatePercent,
  validatePortName,
  validatePortNumber,
  validateQualifiedName,
  validateRelaxedEnvVarName,
  validateUserId,
  validateWildcardDns1123Subdomain,
  utf8Length,
} from './names.ts';

type Rule = (value: string) => string[];

describe('names', () => {
  it.each<[Rule, string[], string[]]>([
    [
      validateDns1123Label,
      ['a', '0', 'a-b', 'a'.repeat(63)],
      ['', 'A', '-a', 'a-', 'a.b', 'a_b', 'a\n', 'a'.repeat(64)],
    ],
    [
      validateDns1123Subdomain,
      ['a', 'a.b', '1.2', `${'a.'.repeat(126)}a`],
      ['', 'a..b', '.a', 'a.', 'A.b', 'a'.repeat(254)],
    ],
    [validateWildcardDns1123Subdomain, ['*.a.b'], ['*', 'a.b', '*.*.a', 'a.*.b']],
    [validateDns1035Label, ['a', 'a-1'], ['1a', '', 'a.b', 'a-']],
    [
      validateQualifiedName,
      ['a', 'A_b.c-d', 'example.com/a'],
      ['', '/a', 'a/', 'a/b/c', 'Example.com/a', '-a', 'a'.repeat(64)],
    ],
    [validateLabelValue, ['', 'a', 'A.b_c-1'], ['-', 'a b', 'a/b', 'a'.repeat(64)]],
    [validateCIdentifier, ['_', 'a1', 'A_B'], ['', '1a', 'a-b']],
    [validateConfigMapKey, ['a', '.a', 'A-b_c.d'], ['', '.', '..', '..a', 'a/b', 'a'.repeat(254)]],
    [validateEnvVarName, ['A', '_a', 'a.b-c'], ['', '1a', '..', 'a=b']],
    [validateRelaxedEnvVarName, ['1a', 'a b', '~'], ['', 'a=b', 'ä', 'a\n']],
    [validatePathSegmentName, ['a', 'A:b', ''], ['.', '..', 'a/b', 'a%b']],
    [validatePathSegmentPrefix, ['.', 'a'], ['a/b']],
    [validatePortName, ['http', 'a-1'], ['', '1', 'a--b', '-a', 'a-', 'A', 'a'.repeat(16)]],
    [validatePercent, ['1%', '100%'], ['', '%', '1', '1.5%']],
    [validateHttpHeaderName, ['X-A'], ['', 'X_A', 'X A']],
  ])('%o accepts valid names and rejects others', (rule, good, bad) => {
    for (const name of good) expect([name, rule(name)]).toEqual([name, []]);
    for (const name of bad) expect([name, rule(name).length > 0]).toEqual([name, true]);
  });

  it('reports an invalid label in the words of Kubernetes', () => {
    expect(validateDns1123Label('Bad_Name')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
    expect(validateDns1123Label('a.b')).toEqual(['must not contain dots']);
    expect(validateDns1123Label('a'.repeat(64))).toEqual(['must be no more than 63 characters']);
  });

  it('says which part of a qualified name is wrong', () => {
    expect(validateQualifiedName('Bad_Prefix/a b')).toEqual([
      "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ]);
    expect(validateQualifiedName('/a')).toEqual(['prefix part must be non-empty']);
    expect(validateQualifiedName('a'.repeat(64))).toEqual(['name part must be no more than 63 bytes']);
  });

  it('checks ranges of numbers', () => {
    expect(validatePortNumber(0)).toEqual(['must be between 1 and 65535, inclusive']);
    expect(validatePortNumber(65535)).toEqual([]);
    expect(validateUserId(-1)).toEqual(['must be between 0 and 2147483647, inclusive']);
  });

  it('counts bytes, not characters', () => {
    for (const text of ['', 'abc', 'ä', '€', '😀', 'a😀ä€']) expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  });
});
