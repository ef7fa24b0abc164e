import type { ApiResponse } from '../request/api-response.ts';
import type { StorageProblem } from '../storage/journal/journal.ts';
import { notFoundPage } from './discovery.ts';

const checks = ['ping', 'log', 'etcd'] as const;
/** Probes are answered however busy the server is. */
export function isHealthPath(path: string): boolean {
  return /^\/(healthz|livez|readyz)(\/|$)/.test(path);
}

const noSniff = { 'x-content-type-options': 'nosniff' };

/** Health is public, so the answer does not name the folder. */
const reasons = { full: 'no space left', lost: 'the data folder was replaced' } as const;

/**
 * Answers `/healthz`, `/livez` and `/readyz`; `undefined` for other paths. The check of the storage has the name that it has
 * upstream. A full disk makes the server not ready, and not dead: a restart would not help.
 */
export function answerHealth(
  segments: readonly string[],
  query: URLSearchParams,
  problem: StorageProblem | undefined,
): ApiResponse | undefined {
  const [name, check, ...rest] = segments;
  if (name !== 'healthz' && name !== 'livez' && name !== 'readyz') return undefined;
  const failure = problem && (name !== 'livez' || problem.kind === 'lost') ? reasons[problem.kind] : undefined;
  if (check !== undefined) {
    if (!checks.some((each) => each === check) || rest.length > 0) return notFoundPage;
    if (check === 'etcd' && failure !== undefined) return text(500, `internal server error: ${failure}\n`, noSniff);
    return text(200, 'ok', {});
  }
  const lines = checks.map((each) =>
    each === 'etcd' && failure !== undefined ? `[-]${each} failed: ${failure}\n` : `[+]${each} ok\n`,
  );
  if (failure !== undefined) return text(500, `${lines.join('')}${name} check failed\n`, noSniff);
  return text(200, query.has('verbose') ? `${lines.join('')}${name} check passed\n` : 'ok', noSniff);
}

function text(code: number, body: string, headers: Record<string, string>): ApiResponse {
  return { code, type: 'text', text: body, contentType: 'text/plain; charset=utf-8', headers };
}
