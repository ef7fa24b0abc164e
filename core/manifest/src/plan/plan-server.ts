import type { Client } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';

/**
 * A server of the Kubernetes API that holds a copy of some live objects, for a manifest to be applied to it for real. Nothing that
 * happens there is seen by anybody.
 */
export interface PlanServer {
  readonly client: Client;
  /** Puts a live object in place as it is. Rejects when it cannot be kept there. */
  seed(object: DynamicObject): Promise<void>;
  close(): Promise<void>;
}

/** How a plan gets a server of its own. */
export type OpenPlanServer = () => Promise<PlanServer>;
