import { createHash } from 'node:crypto';

const maxLength = 63;
const hashLength = 32;
const maxHeadLength = maxLength - hashLength;

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/**
 * The name of a child made from its parent's: as is while it fits into 63 characters, otherwise shortened with a hash.
 * It is Knative's rule, to the letter, because Tekton's users know the names of their pods.
 *
 * @example
 * childName('build-42', '-pod') // build-42-pod
 */
export function childName(parent: string, suffix: string): string {
  if (parent.length + suffix.length <= maxLength) return parent + suffix;
  if (suffix.length < maxHeadLength) return parent.slice(0, maxHeadLength - suffix.length) + md5(parent) + suffix;
  const head = parent.slice(0, maxHeadLength) + md5(parent + suffix);
  return trimEnd((head + suffix).slice(0, maxLength));
}

/** Cut marks such as `-` may not end a name. */
function trimEnd(name: string): string {
  return name.replace(/[^a-zA-Z0-9]+$/, '');
}

/** Cut to 63 characters, without what may not stand at the end. */
export function restrictLength(name: string): string {
  return trimEnd(name.slice(0, maxLength));
}
