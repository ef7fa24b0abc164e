import type { Transport } from '@tektite/client';

/** A user of the page. All requests are made with this user's own credentials, never with more. */
export interface Visitor {
  readonly name: string;
  readonly transport: Transport;
}
