import { GuardedServer, type TlsOptions } from '@tektite/http';
import type { Access } from '../access/access.ts';
import { LogsApi } from '../api/logs-api.ts';
import { ResultsApi } from '../api/results-api.ts';
import type { LogFiles } from '../logs/log-files.ts';
import type { ResultsStorage } from '../storage/storage.ts';
import { answerGrpc, isGrpc } from './grpc.ts';
import { methodsOf } from './methods.ts';
import { answerRest } from './rest.ts';

export interface ResultsServerOptions {
  readonly storage: ResultsStorage;
  readonly access: Access;
  /** Without it there is no service for logs. */
  readonly logs?: LogFiles;
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsOptions;
  readonly onError?: (error: unknown) => void;
}

/** Serves the API of Tekton Results at one port: gRPC, and the same as REST. */
export function startResultsServer(options: ResultsServerOptions): Promise<GuardedServer> {
  const { storage, access, logs, host, port, tls, onError = () => undefined } = options;
  const methods = methodsOf(
    new ResultsApi({ storage, access }),
    logs ? new LogsApi({ storage, access, logs }) : undefined,
  );
  return GuardedServer.start({
    host,
    port,
    ...(tls ? { tls } : {}),
    onError,
    onRequest: (request, response) =>
      isGrpc(request)
        ? answerGrpc(request, response, methods, onError)
        : answerRest(request, response, methods, onError),
  });
}
