import type { DynamicObject, KubeObject } from '@tektite/meta';

/**
 * A set as the engine sees it: an object of the API that says what has to be there. Of which kind it is, and where in it the objects
 * are written, only the system knows.
 */
export interface InstallerSet {
  /** The set itself: it owns what is installed. */
  readonly self: KubeObject;
  /** The desired objects, in the order of the manifest. */
  readonly objects: readonly DynamicObject[];
  /** The objects after the last reconcile; without an inventory, nothing is ever pruned. */
  readonly inventory?: readonly InventoryEntry[];
}

/** An object that a set made. */
export interface InventoryEntry {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Absent while it is only about to be made. */
  readonly uid?: string;
  readonly hash?: string;
}
