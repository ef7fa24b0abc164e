import { DecodeError, JsonNumber, jsonTypeName, TypeMismatch } from '@tektite/go';
import { type GroupVersionKind, parseApiVersion, quoteGo } from '@tektite/meta';

const goType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * The group, version and kind of a body; empty where it has none. Throws a {@link DecodeError}.
 *
 * Before it decodes an object, upstream reads these two fields alone, and with a decoder that does not care about upper
 * and lower case.
 */
export function readVersionKind(value: unknown): GroupVersionKind {
  const found = { apiVersion: '', kind: '' };
  if (value !== null) {
    if (typeof value !== 'object' || Array.isArray(value) || value instanceof JsonNumber) {
      throw describe(new TypeMismatch(jsonTypeName(value), goType, '', ''));
    }
    for (const key in value) {
      const name = fieldOf(key);
      if (name === undefined) continue;
      const text = (value as Record<string, unknown>)[key];
      if (typeof text === 'string') found[name] = text;
      else if (text !== null && text !== undefined)
        throw describe(new TypeMismatch(jsonTypeName(text), 'string', '', name));
    }
  }
  const groupVersion = parseApiVersion(found.apiVersion);
  if (!groupVersion) throw new DecodeError(`unexpected GroupVersion string: ${found.apiVersion}`);
  return { ...groupVersion, kind: found.kind };
}

function fieldOf(key: string): 'apiVersion' | 'kind' | undefined {
  if (key === 'kind' || key === 'apiVersion') return key;
  if (key.length !== 4 && key.length !== 10) return undefined;
  const folded = key.toLowerCase();
  return folded === 'kind' ? 'kind' : folded === 'apiversion' ? 'apiVersion' : undefined;
}

function describe(error: Error): DecodeError {
  return new DecodeError(`couldn't get version/kind; json parse error: ${error.message}`);
}

/** Fills in what a body left out from what was asked for. */
export function withDefaults(actual: GroupVersionKind, wanted: GroupVersionKind): GroupVersionKind {
  const kind = actual.kind || wanted.kind;
  if (actual.version === '' && (actual.group === '' || actual.group === wanted.group)) {
    return { group: wanted.group, version: wanted.version, kind };
  }
  return { ...actual, kind };
}

/** `ConfigMap in version "v1" cannot be handled as a ConfigMap: reason`. */
export function cannotBeHandled({ kind, version }: GroupVersionKind, wanted: string, reason: string): string {
  return `${kind} in version ${quoteGo(version)} cannot be handled as a ${wanted}: ${reason}`;
}
