import type { ApiResponse } from '../rest/api-request.ts';
import { notFoundPage } from './discovery.ts';

const endpoints = new Set(['healthz', 'livez', 'readyz']);
const checks = ['ping', 'log', 'etcd'];

/** Answers `/healthz`, `/livez` and `/readyz`; `undefined` for other paths. A server that can answer is healthy. */
export function answerHealth(segments: readonly string[], query: URLSearchParams): ApiResponse | undefined {
  const [name, check, ...rest] = segments;
  if (name === undefined || !endpoints.has(name)) return undefined;
  if (check !== undefined) {
    if (!checks.includes(check) || rest.length > 0) return notFoundPage;
    return text('ok', {});
  }
  const verbose = query.has('verbose');
  const body = verbose ? `${checks.map((passed) => `[+]${passed} ok\n`).join('')}${name} check passed\n` : 'ok';
  return text(body, { 'x-content-type-options': 'nosniff' });
}

function text(body: string, headers: Record<string, string>): ApiResponse {
  return { code: 200, type: 'text', text: body, contentType: 'text/plain; charset=utf-8', headers };
}
