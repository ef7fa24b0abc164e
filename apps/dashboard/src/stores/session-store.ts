import { signal } from '@preact/signals-core';
import { ApiError } from '../api/kube-api.ts';
import type { HttpKubeApi } from '../api/http-kube-api.ts';

export interface Session {
  readonly user: string;
  readonly isReadOnly: boolean;
  readonly canExplain: boolean;
  /** Names of the tools that the server has. */
  readonly tools: readonly string[];
}

export type SessionState =
  | { readonly phase: 'checking' }
  | { readonly phase: 'out'; readonly form: 'code' | 'token' | 'header'; readonly error?: string }
  | { readonly phase: 'in'; readonly session: Session };

/** Keeps the token of the session in the browser, for this origin alone. */
export interface TokenKeeper {
  read(): string | undefined;
  write(token: string | undefined): void;
}

/** Whether the user is logged in, and how to. */
export class SessionStore {
  readonly state = signal<SessionState>({ phase: 'checking' });
  private readonly api: () => HttpKubeApi;
  private readonly keeper: TokenKeeper;

  constructor(api: () => HttpKubeApi, keeper: TokenKeeper) {
    this.api = api;
    this.keeper = keeper;
  }

  /** Uses the code of the link, if there is one; else the session that there is; else asks. */
  async start(code?: string): Promise<void> {
    if (code) return this.logIn({ code });
    if (this.keeper.read()) {
      try {
        const session = await this.api().request<Session>('/api/session');
        this.state.value = { phase: 'in', session };
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 401) return this.askFor((error as Error).message);
      }
    }
    await this.askFor();
  }

  async logIn(given: Readonly<Record<string, string>>): Promise<void> {
    try {
      const { csrfToken } = await this.api().request<{ csrfToken: string }>('/api/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(given),
      });
      this.keeper.write(csrfToken);
      this.state.value = { phase: 'in', session: await this.api().request<Session>('/api/session') };
    } catch (error) {
      // A link that is opened again: the session that it made goes on.
      if (given.code && this.keeper.read()) return this.start();
      const isDenied = error instanceof ApiError && error.code === 401;
      await this.askFor(isDenied ? denials[Object.keys(given)[0] ?? ''] : (error as Error).message);
    }
  }

  async logOut(): Promise<void> {
    await this.api().request('/api/session', { method: 'DELETE' });
    this.keeper.write(undefined);
    await this.askFor();
  }

  /** The server no longer knows the session. */
  expire(): void {
    if (this.state.value.phase === 'in') void this.askFor('The session has ended.');
  }

  private async askFor(message?: string): Promise<void> {
    const { form } = await this.api()
      .request<{ form: 'code' | 'token' | 'header' }>('/api/login')
      .catch(() => ({ form: 'code' as const }));
    if (form === 'header' && message === undefined) return this.logIn({});
    this.state.value = { phase: 'out', form, ...(message ? { error: message } : {}) };
  }
}

const denials: Readonly<Record<string, string>> = {
  code: 'This link was used already, or has expired.',
  token: 'The API server does not accept this token.',
  /** Without it, the page would ask again at once, for ever. */
  '': 'No user is named by a proxy that this page trusts.',
};
