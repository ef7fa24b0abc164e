import type { Fields, MessageDescriptor } from '../wire/message.ts';

/** Which fields of an answer are sent: a tree of names. A leaf is all below it. */
export type FieldMask = ReadonlyMap<string, FieldMask>;

const maxPaths = 100;

/** Reads `records.name,records.data.value.metadata`. Absent: everything. */
export function parseFieldMask(texts: readonly string[]): FieldMask | undefined {
  const paths = texts
    .flatMap((text) => text.split(','))
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .slice(0, maxPaths)
    .sort();
  if (paths.length === 0) return undefined;
  const root = new Map<string, FieldMask>();
  const kept: string[] = [];
  for (const path of paths) {
    // A part of what is sent whole adds nothing.
    if (kept.some((each) => path === each || path.startsWith(`${each}.`))) continue;
    kept.push(path);
    let at = root;
    for (const name of path.split('.')) {
      const next = (at.get(name) as Map<string, FieldMask> | undefined) ?? new Map<string, FieldMask>();
      at.set(name, next);
      at = next;
    }
  }
  return root;
}

/** The message with the fields of the mask. Bytes that are JSON are masked by their keys. */
export function applyFieldMask(mask: FieldMask, { fields }: MessageDescriptor, message: Fields): Fields {
  const kept: Record<string, unknown> = {};
  for (const { name, type } of fields) {
    const inner = mask.get(name);
    const value = message[name];
    if (inner === undefined || value === undefined) continue;
    if (inner.size === 0) kept[name] = value;
    else if (typeof type === 'function')
      kept[name] = Array.isArray(value)
        ? value.map((each) => applyFieldMask(inner, type(), each as Fields))
        : applyFieldMask(inner, type(), value as Fields);
    else if (type === 'textMap')
      kept[name] = Object.fromEntries(Object.entries(value as object).filter(([key]) => inner.has(key)));
    else kept[name] = type === 'bytes' ? maskedJson(inner, value as Uint8Array) : value;
  }
  return kept;
}

function maskedJson(mask: FieldMask, bytes: Uint8Array): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(masked(mask, JSON.parse(Buffer.from(bytes).toString()))));
  } catch {
    return bytes;
  }
}

/** A missing field is null, as upstream has it. */
function masked(mask: FieldMask, json: unknown): unknown {
  const isObject = typeof json === 'object' && json !== null;
  return Object.fromEntries(
    [...mask].map(([key, inner]) => {
      const value = isObject && Object.hasOwn(json, key) ? (json as Fields)[key] : undefined;
      return [key, inner.size === 0 ? (value ?? null) : masked(inner, value)];
    }),
  );
}
