import type { Annotate } from '../audit/auditor.ts';
import type { ApiRequest, UserInfo } from '../request/api-request.ts';
import type { RequestInfo } from '../request/request-info.ts';

/** A request that passed authentication and authorization, on its way through a handler. */
export interface RequestContext {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  /** The `Warning` headers, in order, each text once. */
  readonly warnings: Set<string>;
  /** Absent where the request is not audited. */
  readonly annotate?: Annotate;
}

/** The manager named by the request, or the first word of its User-Agent, as upstream has it. */
export function fieldManagerOf({ request }: RequestContext, named: string): string {
  if (named !== '') return named;
  const agent = request.headers['user-agent'] ?? '';
  return agent.split('/')[0]?.slice(0, 128) ?? '';
}
