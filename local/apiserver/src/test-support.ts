import { type Clock, type KubeObject, type Status } from '@tektite/meta';
import { expect } from 'vitest';
import type { ApiRequest, UserInfo } from './request/api-request.ts';
import { objectOf } from './request/stored-answer.ts';
import type { ApiResponse, WatchEvent } from './request/api-response.ts';
import { ApiServer, type ApiServerOptions } from './server.ts';

/** For tests of the server from outside: requests in, answers out. */

/** May do everything. */
export const admin: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** An object with the fields that tests read. */
export type AnyObject = KubeObject & {
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
  readonly data?: Record<string, string>;
  readonly items?: readonly AnyObject[];
  readonly [field: string]: unknown;
};

export interface Answer {
  readonly code: number;
  readonly headers: ApiResponse['headers'];
  /** The object, or the Status of a failure. */
  readonly object: AnyObject & Status;
  readonly text: string;
}

export interface RequestOptions {
  /** Default: the administrator. `undefined` leaves it to the credentials in `headers`. */
  readonly user?: UserInfo | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server in this process that fails the test when it reports an internal error. */
export class TestServer implements AsyncDisposable {
  readonly server: ApiServer;
  /** The internal errors of the server. */
  readonly errors: unknown[];

  private constructor(server: ApiServer, errors: unknown[]) {
    this.server = server;
    this.errors = errors;
  }

  static async start(options: ApiServerOptions = {}): Promise<TestServer> {
    const errors: unknown[] = [];
    const server = await ApiServer.create({ ...options, onError: (error) => errors.push(error) });
    return new TestServer(server, errors);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    expect(this.errors).toEqual([]);
  }

  handle(method: string, url: string, body?: unknown, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.server.handle(toRequest(method, url, body, options));
  }

  async send(method: string, url: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    const response = await this.handle(method, url, body, options);
    const object = objectOf(response);
    if (object === undefined && response.type !== 'text') throw new Error(`unexpected ${response.type}`);
    const { code, headers } = response;
    if (response.type === 'text') return { code, headers, object: {} as Answer['object'], text: response.text };
    return { code, headers, object: object as Answer['object'], text: '' };
  }

  /** Like {@link send}, for what must succeed; returns the object. */
  async ok(method: string, url: string, body?: unknown, options: RequestOptions = {}): Promise<AnyObject> {
    const { code, object } = await this.send(method, url, body, options);
    expect({ code, message: code < 300 ? '' : object.message }).toEqual({ code: code < 300 ? code : 200, message: '' });
    return object;
  }

  /** Opens a watch and collects what comes. */
  async watch(url: string, options: RequestOptions = {}): Promise<WatchLog> {
    const response = await this.handle('GET', url, undefined, options);
    if (response.type !== 'watch') throw new Error(`no watch: ${JSON.stringify(response)}`);
    return new WatchLog(response.source);
  }
}

function toRequest(method: string, url: string, body: unknown, options: RequestOptions): ApiRequest {
  const mark = url.indexOf('?');
  const user = 'user' in options ? options.user : admin;
  return {
    method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    headers: options.headers ?? {},
    ...(body === undefined ? {} : { body: typeof body === 'string' ? Buffer.from(body) : (body as object) }),
    ...(user ? { user } : {}),
  };
}

/** The events of a watch. */
export class WatchLog implements Disposable {
  readonly events: WatchEvent[] = [];
  ended = false;
  private readonly source: Extract<ApiResponse, { type: 'watch' }>['source'];

  constructor(source: WatchLog['source']) {
    this.source = source;
    const push = (event: WatchEvent) => {
      expect(this.ended).toBe(false);
      this.events.push(event);
    };
    source.start({
      begin: (initial) => {
        for (let event = initial.next(); event; event = initial.next()) push(event);
      },
      push,
      end: () => {
        expect(this.ended).toBe(false);
        this.ended = true;
      },
    });
  }

  [Symbol.dispose](): void {
    this.source.stop();
  }

  /** `ADDED name`, `BOOKMARK`, `ERROR 410` and so on. */
  get lines(): string[] {
    return this.events.map(({ type, object }) => {
      if (type === 'ERROR') return `ERROR ${(object as Status).code}`;
      const { name } = (object as KubeObject).metadata;
      return name === undefined ? type : `${type} ${name}`;
    });
  }

  /** The state of a client that has followed this watch from its start. */
  get state(): Map<string, string> {
    const state = new Map<string, string>();
    for (const { type, object } of this.events) {
      const { namespace = '', name = '', resourceVersion = '' } = (object as KubeObject).metadata;
      if (type === 'ADDED' || type === 'MODIFIED') state.set(`${namespace}/${name}`, resourceVersion);
      else if (type === 'DELETED') state.delete(`${namespace}/${name}`);
    }
    return state;
  }
}

/** A clock that advances only on request. */
export class ManualClock implements Clock {
  private time: number;
  private timers: { readonly due: number; readonly action: () => void }[] = [];

  constructor(start = '2026-03-01T12:00:00Z') {
    this.time = Date.parse(start);
  }

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  setTimer(milliseconds: number, action: () => void): Disposable {
    const timer = { due: this.time + milliseconds, action };
    this.timers.push(timer);
    return {
      [Symbol.dispose]: () => {
        this.timers = this.timers.filter((other) => other !== timer);
      },
    };
  }

  get pending(): number {
    return this.timers.length;
  }

  /** Lets time pass, calling what is due in its order. */
  advance(seconds: number): void {
    const end = this.time + seconds * 1000;
    for (;;) {
      const next = this.timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
      if (!next) break;
      this.timers = this.timers.filter((other) => other !== next);
      this.time = Math.max(this.time, next.due);
      next.action();
    }
    this.time = end;
  }
}

/** Lets everything that is under way in this process come to its end. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}
