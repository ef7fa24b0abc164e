import type { TransportRequest, TransportResponse } from '@tektite/client';

/** How many earlier answers of a path are kept. */
const maxKept = 3;

/**
 * Earlier answers of lists that allow any version. The API answers `resourceVersion=0` from the cache of whichever replica is asked, and
 * that may be behind what the client has seen: a list can go back in time.
 */
export class RecentLists {
  private readonly answers = new Map<string, TransportResponse[]>();

  /** An answer older than the newest, if the request allows one. */
  before(request: TransportRequest): TransportResponse | undefined {
    if (!allowsAnyVersion(request)) return undefined;
    return this.answers.get(keyOf(request))?.[0];
  }

  remember(request: TransportRequest, response: TransportResponse): void {
    if (!allowsAnyVersion(request) || response.status !== 200) return;
    const key = keyOf(request);
    const kept = this.answers.get(key) ?? [];
    kept.push(response);
    if (kept.length > maxKept) kept.shift();
    this.answers.set(key, kept);
  }
}

function allowsAnyVersion({ method, query }: TransportRequest): boolean {
  return method === 'GET' && query?.get('resourceVersion') === '0' && query.get('watch') !== 'true';
}

function keyOf({ path, query }: TransportRequest): string {
  return `${path}?${query?.toString() ?? ''}`;
}
