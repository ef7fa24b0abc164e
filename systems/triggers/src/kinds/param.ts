import { go, type Struct, type StructValue } from '@tektite/schema/struct';

const paramSpecFields = { name: go.string().required(), description: go.string(), default: go.pointer(go.string()) };
/** A parameter that a TriggerTemplate takes. */
export interface ParamSpec extends StructValue<typeof paramSpecFields> {}
export const ParamSpec: Struct<ParamSpec> = go.struct('ParamSpec', paramSpecFields);

const paramFields = { name: go.string().required(), value: go.string().required() };
/** A parameter that a binding gives. Its value may contain JSONPath expressions: `$(body.ref)`. */
export interface Param extends StructValue<typeof paramFields> {}
export const Param: Struct<Param> = go.struct('Param', paramFields);
