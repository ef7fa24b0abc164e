import type { KubeObject, Status } from '@tektite/meta';
import type { KindReference, ObjectKey } from './kind-reference.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport/transport.ts';
import type { DeleteOptions } from './verb-options.ts';

/** Sends requests: a client, or the next interceptor in front of it. */
export type RequestHandler = Pick<Transport, 'request'>;

/**
 * A layer between a client and its callers. Calls that it does not implement pass through.
 *
 * @example const readOnly = client.intercepted({ request: (request, next) => (request.method === 'GET' ?
 * next.request(request) : Promise.reject(new Error('no'))), });
 */
export interface Interceptor {
  /** In the place of `Client.request`, by which all verbs but watch and log go. `next` is the client as it was. */
  request?(request: TransportRequest, next: RequestHandler): Promise<TransportResponse>;
  /** Called for each watch that the server accepted. */
  watching?(): void;
  /** Called for each delete that the server confirmed. */
  deleted?(kind: KindReference<KubeObject>, key: ObjectKey, answer: KubeObject | Status, options: DeleteOptions): void;
}
