import { expectTypeOf } from 'expect-type';
import type { ObjectOf } from '../kind/kind.ts';
import type { Volume } from '../kubernetes/generated/types.ts';
import { CrdSchemas } from './crd-schema.ts';
import { defineStructKind } from './define-struct-kind.ts';
import type { StructValue } from './field.ts';
import { go } from './go.ts';
import type { Struct } from './struct.ts';

const stepFields = {
  name: go.string().required(),
  onError: go.string<'continue' | 'stop'>('OnErrorType'),
  retries: go.int().always(),
  volumes: go.list(go.builtin('core/v1.Volume')),
  labels: go.map(go.string()),
  timeout: go.pointer(go.duration()).validated(),
  image: go.string().required().defaulted(),
  resources: go.string().legacy('v1beta1'),
  nested: go.list(go.lazy<Step>(() => Step)),
};
interface Step extends StructValue<typeof stepFields> {}
const Step: Struct<Step> = go.struct('Step', stepFields);

// The type is the one that a person would write.
interface Expected {
  readonly name: string;
  readonly onError?: 'continue' | 'stop';
  readonly retries?: number;
  readonly volumes?: readonly Volume[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly timeout: string;
  readonly image?: string;
  readonly nested?: readonly Step[];
}
expectTypeOf<Pick<Step, keyof Step>>().toEqualTypeOf<Pick<Expected, keyof Expected>>();
expectTypeOf<keyof Step>().toEqualTypeOf<keyof Expected>();

const step: Step = { name: 'a', timeout: '1h', nested: [{ name: 'b', timeout: '1h' }] };
// @ts-expect-error -- values are not changed
step.name = 'b';
// @ts-expect-error -- a required field is missing
export const missing: Step = { timeout: '1h' };
// @ts-expect-error -- a field of an older version
export const older: Step = { name: 'a', timeout: '1h', resources: 'x' };
// @ts-expect-error -- a field that the struct does not have
export const unknown: Step = { name: 'a', timeout: '1h', nmae: 'x' };
// @ts-expect-error -- a value of another type, deep inside
export const wrong: Step = { name: 'a', timeout: '1h', nested: [{ name: 1, timeout: '1h' }] };
// @ts-expect-error -- Kubernetes has no such struct
go.builtin('core/v1.Volum');
// @ts-expect-error -- the fields are not those of the type
export const other: Struct<Step> = go.struct('Step', { name: go.int() });

// Embedded fields are fields of the struct around them.
const referenceFields = { kind: go.string(), ...go.embed('ResolverRef', { resolver: go.string().required() }) };
expectTypeOf<Pick<StructValue<typeof referenceFields>, 'kind' | 'resolver'>>().toEqualTypeOf<{
  readonly resolver: string;
  readonly kind?: string;
}>();

// A kind has the type of its struct.
const Task = defineStructKind({
  group: 'g',
  version: 'v1',
  struct: go.struct('Task', { metadata: go.objectMeta(), spec: Step.validated() }),
  schemas: new CrdSchemas(),
  descriptions: {},
});
expectTypeOf<ObjectOf<typeof Task>['spec']>().toEqualTypeOf<Step>();
expectTypeOf<ObjectOf<typeof Task>['apiVersion']>().toEqualTypeOf<string>();
