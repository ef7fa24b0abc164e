export {
  GuardedServer,
  type GuardedServerOptions,
  type ServerRequest,
  type ServerResponse,
  type TlsOptions,
} from './guarded-server.ts';
export { StreamExchange } from './stream-exchange.ts';
export { isAllowedHost } from './allowed-host.ts';
export { parseTarget, type RequestTarget } from './request-target.ts';
