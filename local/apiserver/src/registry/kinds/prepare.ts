import type { KubeObject, Mutable } from '@tektite/meta';

/** An object with a status that its controller writes. */
type WithStatus = KubeObject & { readonly status?: object };

/** Sets a field, or removes it when there is nothing to set. */
export function setField<T extends object, K extends keyof T>(object: T, field: K, value: unknown): void {
  if (value === undefined) delete object[field];
  else object[field] = value as T[K];
}

/** A new object has no status yet. */
export function resetStatus<T extends WithStatus>(object: Mutable<T>): void {
  (object as { status?: object }).status = {};
}

/** A change of the object itself leaves its status alone. */
export function keepStatus<T extends WithStatus>(object: Mutable<T>, old: T): void {
  setField(object as { status?: object }, 'status', old.status);
}
