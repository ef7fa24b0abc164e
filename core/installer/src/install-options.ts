import type { ObjectReference } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import type { InventoryEntry } from './installer-set.ts';

export interface InstallOptions {
  /**
   * Keeps the inventory where the next run finds it. Called before anything is made that is not in it, and by a run that changes it at
   * its end: whoever is stopped in between leaves nothing behind that nobody knows of.
   */
  readonly saveInventory?: (inventory: readonly InventoryEntry[]) => Promise<void>;
  /** How objects are read. Default: from the server; a system that has them in a cache reads them there. */
  readonly read?: (reference: ObjectReference) => Promise<DynamicObject | undefined>;
  readonly signal?: AbortSignal;
}
