import { createHash } from 'node:crypto';
import { goJson } from '@tektite/go';
import { childOf, fieldPath } from '../field-value.ts';

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The hash of an object, or of the fields at these paths; a path that leads nowhere counts as an empty mapping. */
export function canonicalHash(value: unknown, options: { readonly paths?: readonly string[] } = {}): string {
  if (!options.paths) return sha256Hex(goJson(value));
  const picked: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const path of options.paths)
    picked[path] = fieldPath(path).reduce<unknown>((parent, step) => childOf(parent, step), value) ?? {};
  return sha256Hex(goJson(picked));
}
