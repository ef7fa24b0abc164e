import { type FieldErrors, multipleOneOf, noFieldErrors } from '@tektite/controller';

/** Names that differ in their case alone count as the same. Mistakes are told by the index, or by the name. */
export function validateUniqueNames(names: readonly string[], by: 'index' | 'key'): FieldErrors {
  const seen = new Set<string>();
  let errors = noFieldErrors;
  names.forEach((name, index) => {
    const folded = name.toLowerCase();
    if (seen.has(folded)) {
      const error = multipleOneOf('name');
      errors = errors.also(by === 'index' ? error.viaIndex(index) : error.viaKey(name));
    }
    seen.add(folded);
  });
  return errors;
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
