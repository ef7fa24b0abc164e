import { equalJson, type ObjectMeta } from '@tektite/meta';
import type { CachedObject } from '../cache/cached-object.ts';

/** A change of an object of a source. */
export type Change<T> =
  | { readonly type: 'added'; readonly object: T; readonly initial: boolean }
  | { readonly type: 'modified'; readonly object: T; readonly before: T }
  | { readonly type: 'deleted'; readonly object: T }
  | { readonly type: 'resync'; readonly object: T };

/** Whether a change causes a reconcile. It receives the cached part of the objects. An exception counts as yes. */
export type Predicate<T> = (change: Change<T>) => boolean;

type Meta = CachedObject & { readonly metadata: ObjectMeta };

function modifiedIf<T extends CachedObject>(differs: (object: Meta, before: Meta) => boolean): Predicate<T> {
  return (change) => change.type !== 'modified' || differs(change.object as Meta, change.before as Meta);
}

/**
 * The spec was changed, or deletion was asked for: both move the generation of kinds that have one. Writes of the own
 * status do not, which is what this is for.
 */
export function generationChanged<T extends CachedObject>(): Predicate<T> {
  return modifiedIf(
    ({ metadata }, { metadata: before }) =>
      metadata.generation === undefined ||
      metadata.generation !== before.generation ||
      metadata.deletionTimestamp !== before.deletionTimestamp,
  );
}

export function labelsChanged<T extends CachedObject>(): Predicate<T> {
  return modifiedIf(({ metadata }, { metadata: before }) => !equalJson(metadata.labels ?? {}, before.labels ?? {}));
}

export function annotationsChanged<T extends CachedObject>(): Predicate<T> {
  return modifiedIf(
    ({ metadata }, { metadata: before }) => !equalJson(metadata.annotations ?? {}, before.annotations ?? {}),
  );
}

/** At least one of them says yes. @example predicate: anyOf(generationChanged(), labelsChanged()) */
export function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

/** All of them say yes. */
export function allOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}

export function not<T>(predicate: Predicate<T>): Predicate<T> {
  return (change) => !predicate(change);
}
