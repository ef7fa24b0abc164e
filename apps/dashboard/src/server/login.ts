import type { IncomingHttpHeaders } from 'node:http';
import type { Visitor } from './visitor.ts';

/** The request of a login. */
export interface LoginRequest {
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
  /** The body: the members that are texts. */
  readonly given: Readonly<Record<string, string>>;
}

/** A way to log in. The page shows the form that belongs to its `form`. */
export interface Login {
  /** `code`: the link that the command printed. `token`: a bearer token. `header`: a proxy in front has done it. */
  readonly form: 'code' | 'token' | 'header';
  /** The visitor, or nothing when the credentials are wrong. */
  logIn(request: LoginRequest): Promise<Visitor | undefined>;
  /** Whether a request of a session still comes from its visitor. */
  isStill?(visitor: Visitor, request: Omit<LoginRequest, 'given'>): boolean;
  /** The visitor of all sessions, where there is only one: sessions can then go on after a restart. */
  restore?(): Promise<Visitor>;
  close?(): Promise<void>;
}
