import { stringifyJson } from '@tektite/meta';
import { describeObject } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { InstallerError } from '../installer-error.ts';

/** The size limit of a set. etcd takes 1.5 MiB; the rest is for metadata, status and managed fields. */
export const partLimitBytes = 1_000_000;

/**
 * Splits objects into as few parts as keep their order and are no larger than the limit each. What fits is one part; nothing is one
 * empty part. Throws an InstallerError when an object alone is too large.
 */
export function splitObjects(
  objects: readonly DynamicObject[],
  limitBytes: number = partLimitBytes,
): readonly (readonly DynamicObject[])[] {
  const parts: DynamicObject[][] = [[]];
  let used = 0;
  for (const object of objects) {
    const size = Buffer.byteLength(stringifyJson(object)) + 1;
    if (size > limitBytes)
      throw new InstallerError(
        'OBJECT_TOO_LARGE',
        `${describeObject(object)} has ${size} bytes, and a set may have ${limitBytes}; no part can hold it`,
      );
    if (used + size > limitBytes) {
      parts.push([]);
      used = 0;
    }
    (parts.at(-1) as DynamicObject[]).push(object);
    used += size;
  }
  return parts;
}
