import type { Clock } from '@tektite/meta';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { HttpKubeApi } from '../src/api/http-kube-api.ts';
import { type Socket, StreamConnection } from '../src/api/stream-connection.ts';
import { DiscoveryStore } from '../src/stores/discovery-store.ts';
import { Notices } from '../src/stores/notices.ts';
import { Router } from '../src/stores/router.ts';
import { RunActions } from '../src/stores/run-actions.ts';
import { NamespacesStore } from '../src/stores/namespaces-store.ts';
import { SessionStore } from '../src/stores/session-store.ts';

export const browserClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Before the next picture; of a page in the background, after a while. */
export function schedule(flush: () => void): void {
  if (document.hidden) setTimeout(flush, 500);
  else requestAnimationFrame(flush);
}

/** Everything that components share. */
export interface App {
  readonly api: HttpKubeApi;
  readonly clock: Clock;
  readonly router: Router;
  readonly session: SessionStore;
  readonly notices: Notices;
  readonly actions: RunActions;
  readonly namespaces: NamespacesStore;
  readonly discovery: DiscoveryStore;
  readonly schedule: (flush: () => void) => void;
}

const tokenKey = 'tektite-csrf';

export function createApp(): App {
  const keeper = {
    read: () => localStorage.getItem(tokenKey) ?? undefined,
    write: (token: string | undefined) =>
      token === undefined ? localStorage.removeItem(tokenKey) : localStorage.setItem(tokenKey, token),
  };
  const streams = new StreamConnection(() => openSocket(keeper.read() ?? ''), browserClock);
  const session: SessionStore = new SessionStore(() => api, keeper);
  const api = new HttpKubeApi({
    fetch: (...request) => fetch(...request),
    csrfToken: keeper.read,
    streams,
    onUnauthorized: () => session.expire(),
  });
  const router = new Router({
    current: () => location.pathname + location.search,
    push: (url) => history.pushState(null, '', url),
    replace: (url) => history.replaceState(null, '', url),
    onPop: (listener) => addEventListener('popstate', listener),
  });
  const shared = { api, clock: browserClock, schedule };
  return {
    ...shared,
    router,
    session,
    notices: new Notices(browserClock),
    actions: new RunActions(api),
    namespaces: new NamespacesStore(shared),
    discovery: new DiscoveryStore(api),
  };
}

function openSocket(token: string): Socket {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const socket = new WebSocket(`${scheme}://${location.host}/api/streams`, ['tektite.streams', `csrf.${token}`]);
  return socket as unknown as Socket;
}

const AppContext = createContext<App | undefined>(undefined);
export const AppProvider = AppContext.Provider;

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('there is no app around this component');
  return app;
}
