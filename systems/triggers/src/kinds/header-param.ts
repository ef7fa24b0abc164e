import { never } from '@tektite/go';
import { type Field, go, type Struct, type StructValue } from '@tektite/schema/struct';

/** The value of a header that a webhook interceptor gets: a Param of Tekton Pipelines. */
export type HeaderValue = string | readonly string[] | Readonly<Record<string, string>>;

const HeaderValue: Field<HeaderValue> = go.custom('v1beta1.ParamValue', 'JSON', (goName) => ({
  decode: readHeaderValue,
  zero(state) {
    state.unprintable ??= `json: error calling MarshalJSON for type ${goName}: impossible ParamValues.Type: ""`;
    return undefined;
  },
  isEmpty: never,
}));

const fields = { name: go.string().required(), value: HeaderValue.required() };
export interface HeaderParam extends StructValue<typeof fields> {}
export const HeaderParam: Struct<HeaderParam> = go.struct('v1beta1.Param', fields);

/** Text, or a list or map of texts, stays; any other JSON becomes its text. */
function readHeaderValue(value: unknown): HeaderValue {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  const isPlain = typeof value === 'object' && Object.values(value).every((item) => typeof item === 'string');
  return isPlain ? (value as HeaderValue) : JSON.stringify(value);
}
