import type { JsonMap } from '../json/unmarshal.ts';
import type { SecretReader } from '../secrets/secret-reader.ts';
import type { Headers } from '../template/resolve-params.ts';

/** The codes of gRPC that interceptors answer with. */
export const codes = { ok: 0, invalidArgument: 3, notFound: 5, failedPrecondition: 9, internal: 13 } as const;

const codeNames: Readonly<Record<number, string>> = {
  0: 'OK',
  1: 'Canceled',
  2: 'Unknown',
  3: 'InvalidArgument',
  4: 'DeadlineExceeded',
  5: 'NotFound',
  6: 'AlreadyExists',
  7: 'PermissionDenied',
  8: 'ResourceExhausted',
  9: 'FailedPrecondition',
  10: 'Aborted',
  11: 'OutOfRange',
  12: 'Unimplemented',
  13: 'Internal',
  14: 'Unavailable',
  15: 'DataLoss',
  16: 'Unauthenticated',
};

export interface TriggerContext {
  readonly event_url?: string;
  readonly event_id?: string;
  /** `namespaces/NAMESPACE/triggers/NAME`. */
  readonly trigger_id?: string;
}

/** The request to an interceptor, on the wire. */
export interface InterceptorRequest {
  readonly body?: string;
  readonly header?: Headers;
  readonly extensions?: JsonMap;
  readonly interceptor_params?: JsonMap;
  readonly context?: TriggerContext;
}

/** The answer of an interceptor, on the wire. */
export interface InterceptorResponse {
  readonly extensions?: JsonMap;
  readonly continue: boolean;
  readonly status: { readonly code?: number; readonly message?: string };
}

/** An interceptor of this process. */
export type Interceptor = (request: InterceptorRequest, secrets: SecretReader) => Promise<InterceptorResponse>;

export const proceed: InterceptorResponse = { continue: true, status: {} };

/** Stops the trigger. */
export function fail(code: number, message: string): InterceptorResponse {
  return { continue: false, status: { code, message } };
}

/** The error of a status, as logs have it. */
export function statusError({ code = 0, message = '' }: InterceptorResponse['status']): string {
  return `rpc error: code = ${codeNames[code] ?? `Code(${code})`} desc = ${message}`;
}

/** The first value of a header, or the empty text. */
export function headerOf(headers: Headers | undefined, name: string): string {
  return headers?.[name]?.[0] ?? '';
}

/** Denies an event whose type is not listed. An empty list denies all; without one, all pass. */
export function denyEventType(params: JsonMap | undefined, actual: string): InterceptorResponse | undefined {
  const allowed = params?.['eventTypes'];
  if (!Array.isArray(allowed) || allowed.includes(actual)) return undefined;
  return fail(codes.failedPrecondition, `event type ${actual} is not allowed`);
}
