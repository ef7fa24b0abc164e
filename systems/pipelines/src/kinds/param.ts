import { never } from '@tektite/go';
import { escapeHtml } from '@tektite/meta';
import { canonicalJson } from '@tektite/schema';
import { type Field, go, type Struct, type StructValue } from '@tektite/schema/struct';

/** The value of a parameter or result. Webhooks turn other JSON that a user writes (numbers, booleans) into text. */
export type ParamValue = string | readonly string[] | Readonly<Record<string, string>>;

/** Reads and prints itself. A parameter without a value has no type by which to print it. */
export const ParamValue: Field<ParamValue> = go.custom('ParamValue', 'JSON', (goName) => ({
  decode: readParamValue,
  zero(state) {
    state.unprintable ??= `json: error calling MarshalJSON for type ${goName}: impossible ParamValues.Type: ""`;
    return undefined;
  },
  isEmpty: never,
}));

export type ParamType = 'string' | 'array' | 'object';

const paramFields = { name: go.string().required(), value: ParamValue.required().schemaless() };
export interface Param extends StructValue<typeof paramFields> {}
export const Param: Struct<Param> = go.struct('Param', paramFields);
export const Params: Field<readonly Param[]> = go.list(Param).named('Params');

const propertySpecFields = { type: go.string<ParamType>('ParamType') };
export interface PropertySpec extends StructValue<typeof propertySpecFields> {}
export const PropertySpec: Struct<PropertySpec> = go.struct('PropertySpec', propertySpecFields);

const paramSpecFields = {
  name: go.string().required(),
  type: go.string<ParamType>('ParamType'),
  description: go.string(),
  /** The keys of an object. */
  properties: go.map(PropertySpec).remembersEmpty(),
  default: go.pointer(ParamValue).schemaless(),
  enum: go.list(go.string()),
};
/** A parameter that a Task, Pipeline or StepAction takes. */
export interface ParamSpec extends StructValue<typeof paramSpecFields> {}
export const ParamSpec: Struct<ParamSpec> = go.struct('ParamSpec', paramSpecFields);
export const ParamSpecs: Field<readonly ParamSpec[]> = go.list(ParamSpec).named('ParamSpecs');

export function typeOfValue(value: ParamValue): ParamType {
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? 'array' : 'object';
}

/** A text, a list of texts or a map of texts. Everything else, lists of numbers among it, is a text that holds the JSON. */
function readParamValue(value: unknown): ParamValue {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every(isTextOrNull)) return value.map((item) => (item as string | null) ?? '');
  if (typeof value === 'object' && !Array.isArray(value)) {
    const entries = Object.entries(value);
    if (entries.every(([, item]) => isTextOrNull(item)))
      return Object.fromEntries(
        entries
          .map(([key, item]) => [key, (item as string | null) ?? ''])
          .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
      ) as Readonly<Record<string, string>>;
  }
  return escapeHtml(canonicalJson(value));
}

const isTextOrNull = (value: unknown) => typeof value === 'string' || value === null;
