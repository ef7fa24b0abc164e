import type { Network } from '../runtime/network.ts';

/** How the containers of a Pod are reached. */
export interface Reach {
  readonly podIP: string;
  readonly network: Network;
}
