import type { ManagerHealth } from '../reconcile/manager.ts';
import type { ReconcileRecord } from '../reconcile/history.ts';

/** What a process of controllers tells about itself. */
export interface StatusSubject {
  health(): Pick<ManagerHealth, 'healthy' | 'ready' | 'controllers' | 'informers'>;
  explain(kind: string, key: string): readonly ReconcileRecord[];
  /** The metrics, in Prometheus' text format. */
  metrics?(): Promise<string>;
}

/** An answer to a GET. */
export interface StatusPage {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/**
 * The pages of a process of controllers, whoever serves them:
 * - `/healthz`: 200 while nothing hangs and all caches follow the server, 500 otherwise; `?verbose` says what;
 * - `/readyz`: 200 once the caches are complete and the controllers work;
 * - `/metrics`: for Prometheus;
 * - `/explain?kind=Memcached&key=default/cache`: why that object was looked at lately, and what came of it, as JSON.
 */
export async function statusPage(subject: StatusSubject, url: URL): Promise<StatusPage | undefined> {
  switch (url.pathname) {
    case '/healthz':
    case '/livez':
      return healthPage(subject, subject.health().healthy, url.searchParams.has('verbose'));
    case '/readyz':
      return healthPage(subject, subject.health().ready, url.searchParams.has('verbose'));
    case '/metrics':
      if (!subject.metrics) return undefined;
      return { status: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body: await subject.metrics() };
    case '/explain': {
      const records = subject.explain(url.searchParams.get('kind') ?? '', url.searchParams.get('key') ?? '');
      return { status: 200, contentType: 'application/json', body: JSON.stringify({ records }) };
    }
    default:
      return undefined;
  }
}

function healthPage(subject: StatusSubject, good: boolean, verbose: boolean): StatusPage {
  const contentType = 'text/plain; charset=utf-8';
  const status = good ? 200 : 500;
  if (good && !verbose) return { status, contentType, body: 'ok' };
  return { status, contentType, body: `${describeHealth(subject.health()).join('\n')}\n` };
}

/** A line for each part, `[+]` when it is well and `[-]` when it is not, as the API server's own pages. */
function describeHealth({ controllers, informers }: ReturnType<StatusSubject['health']>): readonly string[] {
  const lines: string[] = [];
  for (const [name, { state, healthy, waiting, stuck }] of controllers) {
    const hangs = stuck.length > 0 ? `; these hang: ${stuck.join(', ')}` : '';
    lines.push(`[${healthy ? '+' : '-'}]controller/${name} ${state}, ${waiting} waiting${hangs}`);
  }
  for (const [name, { state, healthy, lastError }] of informers)
    lines.push(
      `[${healthy ? '+' : '-'}]informer/${name} ${state}${healthy || !lastError ? '' : `: ${lastError.message}`}`,
    );
  return lines;
}
