import { type FieldErrors, multipleOneOf } from '@tektite/controller/field-errors';
import { allErrors } from './all-errors.ts';

/** Names that differ in their case alone count as the same. Errors name the index, or the name. */
export function validateUniqueNames(names: readonly string[], by: 'index' | 'key'): FieldErrors {
  const seen = new Set<string>();
  return allErrors(
    names.map((name, index) => {
      const folded = name.toLowerCase();
      const isDouble = seen.has(folded);
      seen.add(folded);
      if (!isDouble) return undefined;
      return by === 'index' ? multipleOneOf('name').viaIndex(index) : multipleOneOf('name').viaKey(name);
    }),
  );
}

/** Those that occur more than once. */
export function duplicatesOf(values: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const double = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) double.add(value);
    seen.add(value);
  }
  return [...double];
}
