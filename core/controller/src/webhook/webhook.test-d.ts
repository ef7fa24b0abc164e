import { defineKind, type ObjectOf, s } from '@tektite/schema';
import { expectTypeOf } from 'expect-type';
import { conversion, spoke } from './conversion.ts';
import { defaulting } from './defaulting-webhook.ts';
import { validating } from './validating-webhook.ts';

const names = { group: 'g.example.com', kind: 'Thing' };
const Thing = defineKind({ ...names, version: 'v1', fields: { spec: s.object({ size: s.integer().optional() }) } });
const OldThing = defineKind({ ...names, version: 'v0', fields: { spec: s.object({ length: s.integer() }) } });
type Thing = ObjectOf<typeof Thing>;

validating(Thing, (object, { old }) => {
  expectTypeOf(object).toEqualTypeOf<Thing>();
  expectTypeOf(old).toEqualTypeOf<Thing | undefined>();
  return undefined;
});

// @ts-expect-error -- what is given back has to be an object of the kind
defaulting(Thing, (object) => ({ ...object, spec: { size: 'large' } }));

defaulting(Thing, (object) => {
  // @ts-expect-error -- objects are not changed
  object.metadata.name = 'x';
  return object;
});

const old = spoke(OldThing, Thing, {
  toHub: ({ spec, ...rest }) => ({ ...rest, spec: { size: spec.length } }),
  fromHub: ({ spec, ...rest }) => ({ ...rest, spec: { length: spec.size ?? 0 } }),
});
conversion({ hub: Thing, spokes: [old] });
