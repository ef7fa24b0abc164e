import { stringifyJson } from '@tektite/meta';
import { unifiedDiff } from './unified-diff.ts';
import { internalTypes } from './internal-types.ts';

/**
 * Objects as Kubernetes' own Go types print them.
 *
 * Validation messages show a whole struct in the form of the server's internal types: every field, in the order of its
 * declaration, capitalised, `null` for what is absent. Some of those messages are long, but `kubectl` users see them.
 */

/** Names of the internal Go types that can be printed. */
export type GoType = keyof typeof internalTypes;

interface Field {
  readonly name: string;
  readonly wire: string;
  readonly type: string;
}

interface Compiled {
  readonly fields: readonly Field[];
}

type JsonMap = { readonly [key: string]: unknown };

const compiled = new Map<string, Compiled>();

/**
 * The internal form of a value in wire form: a plain object that JSON prints as Go prints the struct.
 *
 * @example
 * JSON.stringify(goValue('DeploymentStrategy', { type: 'Blue' })) // {"Type":"Blue","RollingUpdate":null}
 */
export function goValue(type: GoType, wire: unknown): unknown {
  return convert(type, wire);
}

/** The internal form of each element; `null` for an absent list, as Go prints a nil slice. */
export function goList(type: GoType, wire: readonly unknown[] | undefined): unknown {
  return convert(`[]${type}`, wire);
}

/** How a struct changed, as upstream shows it for specs that may not change: a unified diff of the printed forms. */
export function goDiff(type: GoType, before: unknown, after: unknown): string {
  return unifiedDiff(prettyJson(goValue(type, before)), prettyJson(goValue(type, after)));
}

function prettyJson(value: unknown): string {
  return stringifyJson(value, 1);
}

function convert(type: string, wire: unknown): unknown {
  if (type.startsWith('[]')) {
    if (!Array.isArray(wire)) return null;
    return wire.map((item: unknown) => convert(type.slice(2), item));
  }
  if (type.startsWith('*')) return wire === undefined || wire === null ? null : convert(type.slice(1), wire);
  switch (type) {
    case 's':
      return wire ?? '';
    case 'i':
    case 'x':
      return wire ?? 0;
    case 'b':
      return wire ?? false;
    case 'q':
      return wire ?? '0';
    case 't':
    case '?':
      return sorted(wire);
    case '#LabelSelector':
      return labelSelectorInOrder(wire as JsonMap | undefined);
    case '#Condition':
      return wire ?? null;
    default:
      return struct(type, (wire ?? {}) as JsonMap);
  }
}

function struct(type: string, wire: JsonMap): JsonMap {
  const result: Record<string, unknown> = {};
  const source = type === 'PodSpec' ? withHostNamespaces(wire) : wire;
  for (const field of compile(type).fields) {
    if (field.name !== '') result[field.name] = convert(field.type, source[field.wire]);
    else if (field.type === '#ObjectMeta') Object.assign(result, metaInOrder(source.metadata as JsonMap | undefined));
    else Object.assign(result, struct(field.type, source));
  }
  return result;
}

function compile(type: string): Compiled {
  const known = compiled.get(type);
  if (known) return known;
  const text: string = internalTypes[type as GoType];
  const result: Compiled = { fields: text.split(' ').map(parseField) };
  compiled.set(type, result);
  return result;
}

function parseField(text: string): Field {
  if (text.startsWith('+')) return { name: '', wire: '', type: text.slice(1) };
  const colon = text.indexOf(':');
  const [name, wire] = text.slice(0, colon).split('=') as [string, string | undefined];
  return { name, wire: wire ?? `${name.charAt(0).toLowerCase()}${name.slice(1)}`, type: text.slice(colon + 1) };
}

const hostNamespaceFields = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];

/** The internal PodSpec keeps the host namespaces of a Pod inside its security context. */
function withHostNamespaces(spec: JsonMap): JsonMap {
  const moved: Record<string, unknown> = {};
  for (const field of hostNamespaceFields) if (spec[field] !== undefined) moved[field] = spec[field];
  if (spec.securityContext === undefined && Object.keys(moved).length === 0) return spec;
  return { ...spec, securityContext: { ...(spec.securityContext as JsonMap | undefined), ...moved } };
}

/** A label selector as Go prints it: `null` for an absent one. */
export function printableSelector(selector: object | undefined): unknown {
  return selector === undefined ? null : labelSelectorInOrder(selector as JsonMap);
}

function labelSelectorInOrder(selector: JsonMap | undefined): unknown {
  if (selector === undefined) return {};
  const expressions = selector.matchExpressions as readonly JsonMap[] | undefined;
  return pick(
    { ...selector, matchExpressions: expressions?.map((item) => pick(item, ['key', 'operator', 'values'])) },
    ['matchLabels', 'matchExpressions'],
  );
}

const metaFields = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

function metaInOrder(meta: JsonMap | undefined): JsonMap {
  return pick(meta ?? {}, metaFields);
}

/** The given keys in the given order, without those that are absent: a struct whose fields are all `omitempty`. */
function pick(value: JsonMap, keys: readonly string[]): JsonMap {
  const result: Record<string, unknown> = {};
  for (const key of keys) {
    const field = value[key];
    if (field !== undefined && field !== null) result[key] = sorted(field);
  }
  return result;
}

/** Go prints maps in the order of their keys. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    Object.defineProperty(result, key, {
      value: (value as JsonMap)[key],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}
