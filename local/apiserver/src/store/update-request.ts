import type { GroupVersionKind, KubeObject } from '@tektite/meta';
import type { Draft } from '../registry/resource.ts';

/** An object in the form that a subresource has for it. */
export interface ObjectView {
  readonly kind: GroupVersionKind;
  show(object: KubeObject): KubeObject;
  /** Takes over what was changed in a view. */
  take(object: Draft, view: Draft): void;
}

/** How an update changes an object. */
export interface UpdateRequest {
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /**
   * Makes the desired object from the current one (absent: it does not exist). Called again after a concurrent write.
   * Takes care of managedFields itself where that differs from a plain update.
   */
  readonly change: (old: KubeObject | undefined) => Promise<Draft> | Draft;
  /** The object may be created when it does not exist. */
  readonly createIfAbsent?: boolean;
  readonly createOptions?: Readonly<Record<string, unknown>>;
  /** `change` has set managedFields already (server-side apply does). */
  readonly ownManagedFields?: boolean;
  /** The object that admission sees, where it differs: a Scale. */
  readonly view?: ObjectView;
  /** Admission has had its say already, about whatever led to this update. */
  readonly reviewed?: boolean;
  /** The object must have this uid, or the update is a conflict. */
  readonly uid?: string;
}

export interface Written {
  readonly object: KubeObject;
  readonly created: boolean;
}
