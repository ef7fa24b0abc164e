import { defineErrors } from '@tektite/meta';

export const jsonPathErrors = defineErrors('go', 'JsonPathError', {
  PATH_SYNTAX: { when: 'a JSONPath expression cannot be parsed', fix: 'correct the expression' },
  PATH_NOT_FOUND: {
    when: 'a JSONPath expression cannot be followed in a value: a key is missing, an index is out of bounds',
    fix: 'correct the expression, or give the value that it names',
  },
});

/** An expression that cannot be parsed. */
export class JsonPathSyntaxError extends jsonPathErrors.Error {
  constructor(message: string) {
    super('PATH_SYNTAX', message);
  }
}

/** A bound of a slice. A derived end follows from the start: `[3]` is `[3:4]`. */
export interface SliceBound {
  readonly value: number;
  readonly isKnown: boolean;
  readonly isDerived: boolean;
}

export type JsonPathNode =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'slice'; readonly bounds: readonly [SliceBound, SliceBound, SliceBound] }
  | {
      readonly kind: 'filter';
      readonly left: readonly JsonPathNode[];
      readonly operator: string;
      readonly right: readonly JsonPathNode[];
    }
  | { readonly kind: 'union'; readonly paths: readonly (readonly JsonPathNode[])[] }
  /** Whole numbers are bigints: Go does not compare an int with a float. */
  | { readonly kind: 'literal'; readonly value: bigint | number | boolean }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'identifier'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'descendants' };
