/** A value that a filter compares. Times are microseconds since 1970. */
export type Term =
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  | { readonly kind: 'column'; readonly column: string; readonly type: 'text' | 'time' | 'number' }
  | { readonly kind: 'json'; readonly column: JsonColumn; readonly path: readonly (string | number)[] }
  | { readonly kind: 'time'; readonly of: Term }
  | { readonly kind: 'concat'; readonly parts: readonly Term[] }
  | { readonly kind: 'calculate'; readonly operator: string; readonly left: Term; readonly right: Term }
  | { readonly kind: 'extract'; readonly part: DatePart; readonly of: Term; readonly minus: 0 | 1 };

export type JsonColumn = 'data' | 'annotations' | 'recordsummary_annotations';

export type DatePart = 'DAY' | 'DOW' | 'DOY' | 'YEAR';

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

/**
 * A filter, as both storages understand it. It has SQL's logic: what is missing makes a comparison unknown, and a row is listed when the
 * whole is true.
 */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Term; readonly right: Term }
  | { readonly kind: 'in'; readonly term: Term; readonly options: readonly Term[] }
  | { readonly kind: 'text'; readonly test: TextTest; readonly term: Term; readonly argument: Term }
  | { readonly kind: 'present'; readonly term: Term }
  | { readonly kind: 'isTrue'; readonly term: Term };

export type TextTest = 'contains' | 'startsWith' | 'endsWith' | 'matches';

/** The conditions that all have to be true for the whole to be true. */
export function conjunctsOf(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.of.flatMap(conjunctsOf) : [condition];
}
