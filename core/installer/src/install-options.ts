import type { ObjectReference } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import type { InventoryEntry } from './installer-set.ts';

export interface InstallOptions {
  /**
   * Persists the inventory for the next reconcile. Called before anything is created that is not in it, and at the end
   * of a reconcile that changes it: an interrupted reconcile leaves no untracked object behind.
   */
  readonly saveInventory?: (inventory: readonly InventoryEntry[]) => Promise<void>;
  /** How objects are read. Default: from the server; a system that has them in a cache reads them there. */
  readonly read?: (reference: ObjectReference) => Promise<DynamicObject | undefined>;
  readonly signal?: AbortSignal;
}
