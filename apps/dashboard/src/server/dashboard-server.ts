import { GuardedServer } from '@tektite/http';
import { systemClock, systemRandom } from '@tektite/meta';
import type { DashboardHandler, DashboardHandlerOptions } from './dashboard-handler.ts';

export interface DashboardOptions
  extends Pick<DashboardHandlerOptions, 'login' | 'pageFolder' | 'explain' | 'sessionFile'>,
    Partial<Pick<DashboardHandlerOptions, 'isReadOnly' | 'hostNames' | 'isSecure' | 'tools' | 'clock' | 'random'>> {
  readonly host: string;
  readonly port: number;
  readonly onError?: (error: unknown) => void;
}

/** The page, served. */
export interface DashboardServer {
  /** Without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the page over plain HTTP. Listening is all that happens at the start: the page's files and everything behind them are
 * loaded with the first request.
 */
export async function serveDashboard(options: DashboardOptions): Promise<DashboardServer> {
  let opened: Promise<DashboardHandler> | undefined;
  const { isReadOnly = false, hostNames = [], isSecure = false, tools = {} } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const handler = () =>
    (opened ??= import('./dashboard-handler.ts').then(({ DashboardHandler }) =>
      DashboardHandler.open({ ...options, isReadOnly, hostNames, isSecure, tools, clock, random }),
    ));
  const server: GuardedServer = await GuardedServer.start({
    host: options.host,
    port: options.port,
    onRequest: async (request, response) => (await handler()).answer(request, response, server.port),
    onUpgrade: async (request, socket, head) => (await handler()).upgrade(request, socket, head, server.port),
    ...(options.onError ? { onError: options.onError } : {}),
  });
  const { family, address } = server.address;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${server.port}`,
    close: async () => {
      await (await opened)?.close();
      await server.close();
    },
  };
}
