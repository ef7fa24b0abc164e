import type { JsonPatchOperation } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';

/** Context that a method needs beyond the object. */
export interface Surroundings {
  /** The HorizontalPodAutoscaler that scales it. */
  readonly autoscaler?: DynamicObject;
}

/** How an object differs from what it should be. */
export interface Difference {
  /** `metadata.labels["app"]`; empty for the object as a whole. */
  readonly path: string;
  readonly why: 'missing' | 'changed' | 'extra' | 'order' | 'dropped' | 'immutable' | 'hash' | 'owner';
  /** Changes that an apply cannot make: removing elements of other managers, and ordering lists. */
  readonly patch?: JsonPatchOperation;
}

/**
 * How objects are kept as the set says. Pure: it compares, the engine acts.
 *
 * `wanted` always has its owners already, and is never changed: a method that adds something gives a new object.
 */
export interface InstallMethod {
  /** Whether the method has to know of autoscalers. */
  readonly scales?: (wanted: DynamicObject) => boolean;
  /** The object to send: the desired object with the additions of the method. */
  prepare(wanted: DynamicObject, surroundings: Surroundings): DynamicObject;
  /** The differences; none if the object can stay as it is. `prepared` is the result of {@link prepare}. */
  compare(prepared: DynamicObject, live: DynamicObject, fieldManager: string): readonly Difference[];
  /** Whether the server has to remember just which fields were wanted, for {@link compare} to see later which were dropped. */
  readonly remembersFields: boolean;
  /** The hash of what was wanted, for the inventory. */
  hash?(wanted: DynamicObject): string;
}
