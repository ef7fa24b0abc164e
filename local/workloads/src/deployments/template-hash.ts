import { equalJson } from '@tektite/meta';
import type { PodTemplateSpec } from '@tektite/schema/kubernetes';

export const hashLabel = 'pod-template-hash';
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A short text that stands for a template. It is made as upstream makes it, FNV-1a printed in letters that form no
 * words, but of the template's JSON: upstream hashes how Go prints its structs, which changes from version to version,
 * and is not promised to be stable. Nothing depends on it: templates are compared, hashes only name.
 */
export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  const text = canonical(template) + (collisionCount === undefined ? '' : `#${collisionCount}`);
  return safeEncode(String(fnv1a(text)));
}

/** Letters and digits that are safe in names, for each digit one. */
export function safeEncode(digits: string): string {
  return [...digits].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** The older order of the same steps: multiply, then combine. */
export function fnv1(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return hash;
}

/** JSON with sorted keys: the same for equal values. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join()}}`;
}

/** Whether two templates are the same, whatever their hashes. */
export function equalTemplates(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return equalJson(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { [hashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}
