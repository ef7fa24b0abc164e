import {
  detailedError,
  type FieldErrors,
  invalidValue,
  missingField,
  missingOneOf,
  multipleOneOf,
} from '@tektite/controller/field-errors';
import { compilePattern } from '@tektite/schema';
import type { KeyRef, VerificationPolicyObject } from '../../kinds/verification-policy.ts';
import { hashAlgorithms } from '../../kinds/hash-algorithms.ts';
import { allErrors } from './all-errors.ts';
import { validateMetadata } from './validate-metadata.ts';

/** A policy says for which places it is, by regular expressions, and which keys count there. */
export function validateVerificationPolicy({ metadata, spec }: VerificationPolicyObject): FieldErrors {
  const { resources, authorities, mode = '' } = spec;
  return allErrors([
    validateMetadata(metadata),
    resources?.length ? undefined : missingField('resources'),
    ...(resources ?? []).map(({ pattern }) => validatePattern(pattern)),
    authorities?.length ? undefined : missingField('authorities'),
    ...(authorities ?? []).map(({ key }, index) => key && validateKey(key).viaFieldIndex('key', index)),
    ['', 'enforce', 'warn'].includes(mode)
      ? undefined
      : invalidValue(`available values are: enforce, warn, but got: ${mode}`, 'mode'),
  ]);
}

function validatePattern(pattern: string): FieldErrors | undefined {
  const compiled = compilePattern(pattern);
  if (typeof compiled !== 'string') return undefined;
  return detailedError({
    message: `invalid value: ${pattern}`,
    paths: ['ResourcePattern'],
    details: `resourcePattern cannot be compiled by regex: ${compiled}`,
  });
}

function validateKey({ data = '', secretRef, kms = '', hashAlgorithm = '' }: KeyRef): FieldErrors {
  const count = [data !== '', secretRef !== undefined, kms !== ''].filter(Boolean).length;
  const sources = ['data', 'kms', 'secretref'] as const;
  return allErrors([
    count === 0 ? missingOneOf(...sources) : count > 1 ? multipleOneOf(...sources) : undefined,
    hashAlgorithms.has(hashAlgorithm.toLowerCase()) ? undefined : invalidValue(hashAlgorithm, 'HashAlgorithm'),
  ]);
}
