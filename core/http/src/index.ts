export {
  GuardedServer,
  type GuardedServerOptions,
  type ServerRequest,
  type ServerResponse,
  type TlsOptions,
} from './guarded-server.ts';
export { isAllowedHost } from './allowed-host.ts';
export { parseTarget, type RequestTarget } from './request-target.ts';
