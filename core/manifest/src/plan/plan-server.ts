import type { Client } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';

/**
 * A server of the Kubernetes API that holds a copy of some live objects, for a manifest to be applied to it for real.
 * No other client sees it.
 */
export interface PlanServer {
  readonly client: Client;
  /** Puts a live object in place as it is. Rejects when it cannot be kept there. */
  seed(object: DynamicObject): Promise<void>;
  close(): Promise<void>;
}

/** Opens the separate server of a plan. */
export type OpenPlanServer = () => Promise<PlanServer>;
