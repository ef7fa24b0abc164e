import { jsonTypeName, mismatchText } from '@tektite/go';
import { formatApiVersion } from '@tektite/meta';
import { readVersionKind, withDefaults } from '../../codec/version-kind.ts';

/** A value that must be a review of that kind and version, or say nothing of what it is. Throws an Error otherwise. */
export function readReview(
  answer: unknown,
  wanted: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly versions: readonly string[];
  },
): Record<string, unknown> {
  const actual = withDefaults(readVersionKind(answer), wanted);
  const isKnown =
    actual.group === wanted.group && wanted.versions.includes(actual.version) && actual.kind === wanted.kind;
  if (!isKnown) {
    throw new Error(
      `no kind "${actual.kind}" is registered for version "${formatApiVersion(actual)}" in scheme "pkg/util/webhook/client.go:80"`,
    );
  }
  if (actual.version !== wanted.version) {
    throw new Error(
      `converting (${actual.version}.${actual.kind}) to (${wanted.version}.${wanted.kind}): unknown conversion`,
    );
  }
  return (answer ?? {}) as Record<string, unknown>;
}

/** The Go types of the fields of responses. */
const goTypes = {
  string: 'string',
  boolean: 'bool',
  object: 'object',
  strings: '[]string',
  labels: 'map[string]string',
} as const;

/** A field of an answer, of that type. `undefined` when it is absent or null; throws, as Go does, when it is of another type. */
export function readField<T>(
  container: Readonly<Record<string, unknown>>,
  field: string,
  type: keyof typeof goTypes,
  at: { readonly struct: string; readonly path: string; readonly goType?: string },
): T | undefined {
  const value = Object.hasOwn(container, field) ? container[field] : undefined;
  if (value === undefined || value === null) return undefined;
  const mismatch = (found: unknown, goType: string) =>
    new Error(mismatchText(jsonTypeName(found), goType, `${at.struct}.${at.path}.${field}`));
  if (type === 'strings') {
    if (!Array.isArray(value)) throw mismatch(value, at.goType ?? '[]string');
    const wrong: unknown = value.find((item) => typeof item !== 'string');
    if (wrong !== undefined) throw mismatch(wrong, 'string');
  } else if (type === 'labels') {
    if (typeof value !== 'object' || Array.isArray(value)) throw mismatch(value, goTypes.labels);
    const wrong: unknown = Object.values(value).find((item) => typeof item !== 'string');
    if (wrong !== undefined) throw mismatch(wrong, 'string');
  } else if (typeof value !== type || Array.isArray(value)) {
    throw mismatch(value, at.goType ?? goTypes[type]);
  }
  return value as T;
}
