import { type Status, StatusError, type StatusReason } from '@tektite/meta';
import type { TransportResponse } from './transport.ts';

const reasons: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** How much of a page that is no Status goes into the message. */
const excerptLength = 200;

/**
 * The StatusError of an error answer. Proxies and aggregated servers do not always send a Status; then one is
 * generated.
 */
export function statusErrorOf(response: TransportResponse): StatusError {
  const retryAfterSeconds = retryAfterOf(response);
  if (isStatus(response.body)) {
    // The metadata stays: that of an expired list says how to continue.
    const { kind: _, apiVersion: __, status: ___, ...rest } = response.body;
    const code = rest.code ?? response.status;
    if (retryAfterSeconds === undefined || rest.details?.retryAfterSeconds !== undefined)
      return new StatusError({ ...rest, code });
    return new StatusError({ ...rest, code, details: { ...rest.details, retryAfterSeconds } });
  }
  const reason = reasons[response.status];
  return new StatusError({
    code: response.status,
    ...(reason === undefined ? {} : { reason }),
    message: `the server answered ${response.status}${excerpt(response.body)}`,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  });
}

/** Seconds the server asks to wait. The form with a date is not used by Kubernetes and ignored. */
export function retryAfterOf(response: Pick<TransportResponse, 'headers'>): number | undefined {
  const header = response.headers['retry-after'];
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

export function isStatus(value: unknown): value is Status {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Partial<Status>).kind === 'Status' &&
    (value as Partial<Status>).apiVersion === 'v1'
  );
}

function excerpt(body: unknown): string {
  if (typeof body !== 'string') return '';
  const text = body.replaceAll(/\s+/g, ' ').trim();
  if (text === '') return '';
  return `: ${text.length > excerptLength ? `${text.slice(0, excerptLength)}...` : text}`;
}
