import { dumpStruct } from '@tektite/go';
import { equalJson } from '@tektite/meta';
import { definitionOf, type PodTemplateSpec } from '@tektite/schema/kubernetes';

export const hashLabel = 'pod-template-hash';
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * The value of `pod-template-hash`: FNV-1a over the template as Go prints its struct, in letters that form no words. It
 * is upstream's value, so that a cluster taken over from another controller manager, or handed to one, rolls nothing.
 */
export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  const dump = Buffer.from(dumpStruct(definitionOf('core/v1.PodTemplateSpec'), template));
  return safeEncode(
    String(fnv1a(collisionCount === undefined ? dump : Buffer.concat([dump, eightBytes(collisionCount)]))),
  );
}

/** The collision count follows in a buffer of eight bytes, of which upstream fills four. */
function eightBytes(count: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(count);
  return bytes;
}

/** Letters and digits that are safe in names, for each digit one. */
export function safeEncode(digits: string): string {
  return [...digits].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** The older order of the same steps: multiply, then combine. */
export function fnv1(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return hash;
}

/** Whether two templates are the same, whatever their hashes. */
export function equalTemplates(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return equalJson(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { [hashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}
