import type { Value } from './value.ts';

interface Node {
  /** Where errors about the node point to: an offset in code points. */
  readonly at: number;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: Value;
}

export interface Identifier extends Node {
  readonly kind: 'identifier';
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  /** `has(operand.field)`: asks for presence instead of the value. */
  readonly testOnly: boolean;
}

export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
}

export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly elements: readonly { readonly value: Expression; readonly optional: boolean }[];
}

export interface MapEntry extends Node {
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface MapLiteral extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructField extends Node {
  readonly name: string;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface StructLiteral extends Node {
  readonly kind: 'struct';
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/** A loop over a list or map that folds into an accumulator; all macros but `has` become one. */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly range: Expression;
  readonly variable: string;
  readonly variable2?: string;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

export type Expression =
  | Literal
  | Identifier
  | Select
  | Call
  | ListLiteral
  | MapLiteral
  | StructLiteral
  | Comprehension;

/** The accumulator of macros; no identifier of a user may be called so. */
export const accumulatorName = '__result__';

/** `a.b.c` when the expression is nothing but names joined by dots. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.testOnly) return undefined;
  const prefix = qualifiedName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}

/** The expressions directly inside of an expression. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'identifier':
      return [];
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target ? [expression.target, ...expression.args] : expression.args;
    case 'list':
      return expression.elements.map(({ value }) => value);
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expression.fields.map(({ value }) => value);
    case 'comprehension':
      return [expression.range, expression.initial, expression.condition, expression.step, expression.result];
  }
}
