import type { ServerResponse } from '@tektite/http';
import { isStatusError, type Status, StatusError } from '@tektite/meta';
import { dataHeaders } from './security-headers.ts';

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  code: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(code, {
    ...dataHeaders,
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Answers with a Status, as the API does: the page reads errors in one form. */
export function sendError(response: ServerResponse, error: unknown): void {
  const status = statusOf(error);
  sendJson(response, status.code ?? 500, status);
}

/** The Status of a failure. A server that cannot be reached is a bad gateway. */
export function statusOf(error: unknown): Status {
  if (isStatusError(error)) return error.status;
  const message = error instanceof Error ? error.message : String(error);
  return new StatusError({ code: 502, reason: 'ServiceUnavailable', message }).status;
}

export function denial(code: 400 | 401 | 403 | 404 | 405 | 413 | 415, message: string): StatusError {
  return new StatusError({ code, reason: reasons[code], message });
}

const reasons = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
} as const;
