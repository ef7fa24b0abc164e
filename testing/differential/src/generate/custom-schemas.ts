import type { Choice } from './choice.ts';

type Schema = Record<string, unknown>;

const fieldNames = ['a', 'b', 'size', 'items', 'type', 'mode'];

/** A random structural schema of `openAPIV3Schema`: mostly valid, with defaults, list types and rules. */
export function customSchema(choice: Choice): Schema {
  const spec = objectSchema(choice, 0);
  return {
    type: 'object',
    properties: {
      spec: choice.chance(0.15) ? { ...spec, default: {} } : spec,
      status: choice.chance(0.8)
        ? objectSchema(choice, 1)
        : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      ...(choice.chance(0.05)
        ? { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } }
        : {}),
    },
    ...(choice.chance(0.1) ? { required: [choice.pick(['spec', 'nothing'])] } : {}),
    ...(choice.chance(0.05) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(choice.chance(0.03) ? choice.pick(mistakes) : {}),
  };
}

function objectSchema(choice: Choice, depth: number): Schema {
  const names = choice.some(fieldNames, 0.5);
  const properties = Object.fromEntries(names.map((name) => [name, fieldSchema(choice, depth + 1)]));
  return {
    type: 'object',
    properties,
    ...(names.length > 0 && choice.chance(0.15) ? { required: [choice.pick(names)] } : {}),
    ...(choice.chance(0.1) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(choice.chance(0.1) ? { minProperties: 1 } : {}),
    ...(choice.chance(0.1) ? { 'x-kubernetes-map-type': choice.pick(['atomic', 'granular', 'x']) } : {}),
    ...(choice.chance(0.15) ? { 'x-kubernetes-validations': [rule(choice, names)] } : {}),
    ...(choice.chance(0.05) ? { nullable: true } : {}),
  };
}

function fieldSchema(choice: Choice, depth: number): Schema {
  const nested =
    depth < 3
      ? [() => objectSchema(choice, depth), () => listSchema(choice, depth), () => mapSchema(choice, depth)]
      : [];
  const schema = choice.pick([
    () => textSchema(choice),
    () => integerSchema(choice),
    () => textSchema(choice),
    booleanSchema,
    intOrStringSchema,
    ...nested,
  ])();
  const withDefault = choice.chance(0.25) ? { ...schema, default: defaultOf(schema, choice) } : schema;
  return choice.chance(0.08) ? { ...withDefault, nullable: true } : withDefault;
}

function textSchema(choice: Choice): Schema {
  return {
    type: 'string',
    ...(choice.chance(0.2) ? { enum: ['x', 'y', 'z'] } : {}),
    ...(choice.chance(0.15) ? { maxLength: 3 } : {}),
    ...(choice.chance(0.1) ? { minLength: 2 } : {}),
    ...(choice.chance(0.15) ? { pattern: choice.pick(['^[a-z]+$', '^x', '[']) } : {}),
    ...(choice.chance(0.15)
      ? { format: choice.pick(['date-time', 'byte', 'ipv4', 'uuid', 'duration', 'nonsense']) }
      : {}),
    ...(choice.chance(0.1)
      ? {
          'x-kubernetes-validations': [
            { rule: choice.pick(["self != 'bad'", 'self.size() < 3', 'self ==', 'oldSelf == self', '1']) },
          ],
        }
      : {}),
  };
}

function integerSchema(choice: Choice): Schema {
  return {
    type: choice.pick(['integer', 'integer', 'number']),
    ...(choice.chance(0.2) ? { minimum: 0 } : {}),
    ...(choice.chance(0.2) ? { maximum: 10, exclusiveMaximum: choice.chance(0.5) } : {}),
    ...(choice.chance(0.1) ? { multipleOf: 2 } : {}),
    ...(choice.chance(0.2) ? { format: choice.pick(['int32', 'int64', 'double']) } : {}),
  };
}

const booleanSchema = (): Schema => ({ type: 'boolean' });
const intOrStringSchema = (): Schema => ({ 'x-kubernetes-int-or-string': true });

function listSchema(choice: Choice, depth: number): Schema {
  if (choice.chance(0.35)) {
    const items = {
      type: 'object',
      properties: { name: textSchema(choice), a: fieldSchema(choice, depth + 1) },
      required: ['name'],
    };
    const keys = {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': choice.chance(0.95) ? ['name'] : ['nothing'],
    };
    return { type: 'array', items, ...keys };
  }
  return {
    type: 'array',
    items: fieldSchema(choice, depth + 1),
    ...(choice.chance(0.3) ? { 'x-kubernetes-list-type': choice.pick(['set', 'atomic', 'x']) } : {}),
    ...(choice.chance(0.2) ? { maxItems: 2 } : {}),
    ...(choice.chance(0.1) ? { minItems: 1 } : {}),
    ...(choice.chance(0.05) ? { uniqueItems: choice.chance(0.5) } : {}),
  };
}

function mapSchema(choice: Choice, depth: number): Schema {
  return {
    type: 'object',
    additionalProperties: fieldSchema(choice, depth + 1),
    ...(choice.chance(0.2) ? { maxProperties: 1 } : {}),
  };
}

function rule(choice: Choice, names: readonly string[]): Schema {
  const name = names[0] ?? 'nothing';
  return {
    rule: choice.pick([
      `has(self.${name})`,
      `!has(self.${name}) || self.${name} == oldSelf.${name}`,
      'self.nothing == 1',
      'true',
      'size(self) > 0',
    ]),
    ...(choice.chance(0.4) ? { message: choice.pick(['must hold', '', 'two\nlines']) } : {}),
    ...(choice.chance(0.2) ? { reason: choice.pick(['FieldValueForbidden', 'FieldValueRequired', 'x']) } : {}),
    ...(choice.chance(0.15) ? { fieldPath: choice.pick([`.${name}`, '.nothing', 'x']) } : {}),
    ...(choice.chance(0.1) ? { messageExpression: choice.pick(["'no ' + 'way'", '1', 'string(self)']) } : {}),
    ...(choice.chance(0.1) ? { optionalOldSelf: choice.chance(0.5) } : {}),
  };
}

function defaultOf(schema: Schema, choice: Choice): unknown {
  if (choice.chance(0.1)) return choice.pick([null, 'x', 1, {}, [], true]);
  switch (schema.type) {
    case 'string':
      return choice.pick(['x', 'y', 'long text']);
    case 'integer':
    case 'number':
      return choice.pick([0, 2, 11]);
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return choice.pick([1, '50%']);
  }
}

/** Schemas that are not structural, or that a server refuses. */
const mistakes: readonly Schema[] = [
  { $ref: '#/definitions/x' },
  { definitions: {} },
  { additionalProperties: false },
  { patternProperties: { a: {} } },
  { oneOf: [{ type: 'object' }] },
  { anyOf: [{ properties: { spec: { default: 1 } } }] },
  { not: { required: ['spec'] } },
  { type: 'array' },
  { 'x-kubernetes-embedded-resource': true },
  { 'x-kubernetes-int-or-string': true },
  { nullable: true },
  { uniqueItems: true },
  { default: {} },
];
