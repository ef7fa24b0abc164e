/** A condition: `input` in or not in `values`, or a CEL expression. */
export interface WhenExpression {
  readonly input?: string;
  readonly operator?: 'in' | 'notin' | (string & {});
  readonly values?: readonly string[];
  readonly cel?: string;
}
