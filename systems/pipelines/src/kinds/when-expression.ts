import { type Field, go, type Struct, type StructValue } from '@tektite/schema/struct';

const fields = {
  input: go.string(),
  operator: go.string<'in' | 'notin' | (string & {})>('selection.Operator'),
  values: go.list(go.string()),
  cel: go.string(),
};
/** A condition: `input` in or not in `values`, or a CEL expression. */
export interface WhenExpression extends StructValue<typeof fields> {}
export const WhenExpression: Struct<WhenExpression> = go.struct('WhenExpression', fields);
export const WhenExpressions: Field<readonly WhenExpression[]> = go.list(WhenExpression).named('WhenExpressions');
