import type { Edit } from '../operation.ts';
import type { Choice } from './choice.ts';
import type { Definitions, JsonSchema } from './json-schema.ts';

/** Texts on which validation decides: names, labels, quantities, times, paths, expressions, and what looks like them. */
const texts = [
  '',
  'a',
  'web',
  'web-1',
  'Web',
  'web_1',
  '-web',
  'web-',
  'web.example.com',
  'a..b',
  'example.com/web',
  'example.com/',
  '/web',
  'a/b/c',
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(254),
  ' ',
  'ä',
  '*',
  '*.example.com',
  '0',
  '1',
  '-1',
  '80',
  '8080',
  '65536',
  '1.5',
  '1e3',
  '100m',
  '1Gi',
  '1.5Gi',
  '0.0001',
  'ten',
  '50%',
  '101%',
  '10.0.0.1',
  '256.0.0.1',
  '::1',
  '10.0.0.0/8',
  '/',
  '/a',
  '/a/../b',
  '..',
  'a/../b',
  './a',
  'true',
  'null',
  'TCP',
  'UDP',
  'tcp',
  'Always',
  'Never',
  'OnFailure',
  'IfNotPresent',
  'ClusterIP',
  'NodePort',
  'LoadBalancer',
  'ExternalName',
  'None',
  'RollingUpdate',
  'Recreate',
  'OnDelete',
  'Exists',
  'Equal',
  'In',
  'NotIn',
  'DoesNotExist',
  'NoSchedule',
  'NoExecute',
  'ReadWriteOnce',
  'ReadOnlyMany',
  'Filesystem',
  'Block',
  'Memory',
  'ClientIP',
  'Local',
  'Cluster',
  'IPv4',
  'IPv6',
  'Default',
  'ClusterFirst',
  'kubernetes.io/service-account-token',
  'Opaque',
  '2026-01-02T03:04:05Z',
  '2026-01-02T03:04:05.000001Z',
  '2026-01-02',
  '* * * * *',
  '*/5 * * * *',
  '61 * * * *',
  '@daily',
  'every day',
  'metadata.name',
  'spec.nodeName',
  'status.podIP',
  'limits.cpu',
  'dGVzdA==',
  'not base64',
];
const numbers = [
  0, 1, -1, 2, 3, 5, 80, 8080, 65_535, 65_536, 30_080, 100, 1000, 2_147_483_647, 2_147_483_648, -2_147_483_649, 1.5,
];
const wrong: readonly unknown[] = [null, true, 0, 1.5, 'text', [], {}, [1], ['a'], [null], { a: 'b' }, { a: 1 }];
const keys = [
  'a',
  'b',
  'app',
  'example.com/role',
  'Bad Key',
  '',
  'cpu',
  'memory',
  'kubernetes.io/metadata.name',
  'x'.repeat(64),
];

/** A value that a schema describes, or now and then one of another type. */
export function valueOf(schema: JsonSchema, definitions: Definitions, choice: Choice, depth = 0): unknown {
  if (choice.chance(0.03)) return choice.pick(wrong);
  const resolved = definitions.resolve(schema);
  if (resolved.enum !== undefined && choice.chance(0.8)) return choice.pick(resolved.enum);
  if (resolved['x-kubernetes-int-or-string'] === true || resolved.format === 'int-or-string')
    return choice.chance(0.5) ? choice.pick(numbers) : choice.pick(texts);
  switch (resolved.type) {
    case 'string':
      return choice.pick(texts);
    case 'integer':
    case 'number':
      return choice.pick(numbers);
    case 'boolean':
      return choice.chance(0.5);
    case 'array': {
      const { items = {} } = resolved;
      return depth > 5 ? [] : choice.times(2, () => valueOf(items, definitions, choice, depth + 1));
    }
    default:
      return objectOf(resolved, definitions, choice, depth);
  }
}

function objectOf(schema: JsonSchema, definitions: Definitions, choice: Choice, depth: number): unknown {
  if (typeof schema.additionalProperties === 'object') {
    const { additionalProperties } = schema;
    const entries = choice.times(2, () => [
      choice.pick(keys),
      valueOf(additionalProperties, definitions, choice, depth + 1),
    ]);
    return Object.fromEntries(entries as [string, unknown][]);
  }
  const properties = Object.entries(schema.properties ?? {});
  const probability = depth > 4 ? 0 : Math.min(0.6, 2.5 / Math.max(1, properties.length));
  const entries = choice
    .some(properties, probability)
    .map(([name, property]) => [name, valueOf(property, definitions, choice, depth + 1)] as const);
  return Object.fromEntries(choice.chance(0.02) ? [...entries, ['unknownField', choice.pick(wrong)]] : entries);
}

/** A change of a document at a place that its schema knows: a value set, replaced, repeated or deleted. */
export function editOf(document: unknown, schema: JsonSchema, definitions: Definitions, choice: Choice): Edit {
  const resolved = definitions.resolve(schema);
  if (choice.chance(0.12)) return { at: '', value: valueOf(resolved, definitions, choice) };
  if (Array.isArray(document)) return listEdit(document, resolved, definitions, choice);
  if (resolved.type === 'object' || resolved.properties !== undefined || isObject(document))
    return fieldEdit(isObject(document) ? document : {}, resolved, definitions, choice);
  return { at: '', value: valueOf(resolved, definitions, choice) };
}

function listEdit(
  list: readonly unknown[],
  { items = {} }: JsonSchema,
  definitions: Definitions,
  choice: Choice,
): Edit {
  const index = choice.below(list.length + 1);
  if (index === list.length || choice.chance(0.1))
    return {
      at: '/-',
      value: choice.chance(0.3) && list.length > 0 ? choice.pick(list) : valueOf(items, definitions, choice),
    };
  if (choice.chance(0.1)) return { at: `/${index}` };
  const { at, ...edit } = editOf(list[index], items, definitions, choice);
  return { at: `/${index}${at}`, ...edit };
}

function fieldEdit(
  object: Record<string, unknown>,
  schema: JsonSchema,
  definitions: Definitions,
  choice: Choice,
): Edit {
  const present = Object.keys(object);
  const known = Object.keys(schema.properties ?? {});
  const usesPresent = present.length > 0 && (known.length === 0 || choice.chance(0.6));
  const name = usesPresent ? choice.pick(present) : known.length > 0 ? choice.pick(known) : choice.pick(keys);
  const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (name in object && choice.chance(0.12)) return { at: pointer };
  const { additionalProperties } = schema;
  const property = schema.properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : {});
  if (!(name in object)) return { at: pointer, value: valueOf(property, definitions, choice) };
  const { at, ...edit } = editOf(object[name], property, definitions, choice);
  return { at: pointer + at, ...edit };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
