import type { Transport } from '@tektite/client';
import { CodeLogin, type DashboardServer, type Explain, serveDashboard, userName } from '@tektite/dashboard';
import { systemClock, systemRandom } from '@tektite/meta';
import { pageFolder } from './page-folder.ts';
import { pageTools } from './tools/page-tools.ts';

export interface ServedPage {
  /** With a one-time code. */
  readonly link: string;
  close(): Promise<void>;
}

export interface ServePageOptions {
  /** The connection of every session: the user who starts the command and the user of the page are the same. */
  readonly transport: () => Transport;
  readonly host: string;
  /** Without a port of the user's choice, a free one replaces one that is taken. */
  readonly port: number;
  readonly isPortChosen: boolean;
  readonly isReadOnly?: boolean;
  readonly explain?: Explain;
  /** Keeps sessions across restarts. */
  readonly sessionFile?: string;
}

/** Serves the page for the user of this command. */
export async function servePage(options: ServePageOptions): Promise<ServedPage> {
  const { host, port, isPortChosen, explain, sessionFile, isReadOnly = false } = options;
  let transport: Transport | undefined;
  const visitor = async () => {
    transport ??= options.transport();
    return { name: (await userName(transport).catch(() => undefined)) ?? 'you', transport };
  };
  const login = new CodeLogin(visitor, systemClock, systemRandom);
  const settings = {
    login,
    pageFolder: pageFolder(),
    host,
    isReadOnly,
    tools: pageTools,
    ...(explain ? { explain } : {}),
    ...(sessionFile ? { sessionFile } : {}),
  };
  const server = await listen(port, isPortChosen, (each) => serveDashboard({ ...settings, port: each }));
  return {
    link: `${server.url}/#code=${login.issue()}`,
    close: async () => {
      await server.close();
      await transport?.close();
    },
  };
}

async function listen(
  port: number,
  isChosen: boolean,
  serve: (port: number) => Promise<DashboardServer>,
): Promise<DashboardServer> {
  try {
    return await serve(port);
  } catch (error) {
    if (isChosen || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return serve(0);
  }
}
