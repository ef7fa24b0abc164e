import { contentHash } from '@tektite/installer';
import { groupKindOf, sha256Hex } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { keys } from '../connector-keys.ts';

/** The hash of what an object says: without owners, status and the annotation that the hash is kept in. */
export const objectHash: (object: DynamicObject) => string = contentHash(keys.hash);

/** An object and its hash. */
export interface HashedObject {
  readonly object: DynamicObject;
  readonly hash: string;
}

/** One line for each object: the same for the same objects in the same order. */
export function setHash(objects: readonly HashedObject[]): string {
  return sha256Hex(objects.map(({ object, hash }) => hashLine(object, hash)).join('\n'));
}

export function hashLine({ apiVersion, kind, metadata }: DynamicObject, hash: string): string {
  const [bare, ...group] = groupKindOf({ apiVersion, kind }).split('.');
  return `${group.join('.')}/${bare}/${metadata.namespace ?? ''}/${metadata.name ?? ''}=${hash}`;
}
