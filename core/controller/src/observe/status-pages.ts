import type { ManagerHealth } from '../reconcile/manager.ts';
import type { ReconcileRecord } from '../reconcile/history.ts';

/** A process of controllers, as its status pages show it. */
export interface StatusSubject {
  health(): Pick<ManagerHealth, 'healthy' | 'ready' | 'controllers' | 'informers'>;
  explain(kind: string, key: string): readonly ReconcileRecord[];
  /** The metrics, in Prometheus' text format. */
  metrics?(): Promise<string>;
}

/** A GET of a status page. */
export interface StatusRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** The client is on this machine. */
  readonly trusted: boolean;
}

/** An answer to a GET. */
export interface StatusPage {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/**
 * The pages of a process of controllers:
 * - `/healthz`: 200 while no reconcile hangs and all caches follow the server, 500 otherwise; `?verbose` lists the checks;
 * - `/livez`: 200 while no reconcile hangs. A server that is not there is no reason to restart all its clients;
 * - `/readyz`: 200 once the caches are synced and the controllers run, until they are stopped;
 * - `/metrics`: for Prometheus;
 * - `/explain?kind=Memcached&key=default/cache`: the recent reconciles of that object, as JSON.
 *
 * Clients that are not `trusted` get no names of objects: no checks of health, no explanations.
 */
export async function statusPage(
  subject: StatusSubject,
  { path, query, trusted }: StatusRequest,
): Promise<StatusPage | undefined> {
  const show = { verbose: query.has('verbose'), trusted };
  switch (path) {
    case '/healthz':
      return healthPage(subject, subject.health().healthy, show);
    case '/livez':
      return healthPage(subject, isLive(subject.health()), show);
    case '/readyz':
      return healthPage(subject, subject.health().ready, show);
    case '/metrics':
      if (!subject.metrics) return undefined;
      return { status: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body: await subject.metrics() };
    case '/explain': {
      if (!trusted) return denied;
      const records = subject.explain(query.get('kind') ?? '', query.get('key') ?? '');
      return { status: 200, contentType: 'application/json', body: JSON.stringify({ records }) };
    }
    default:
      return undefined;
  }
}

const denied: StatusPage = {
  status: 403,
  contentType: 'text/plain; charset=utf-8',
  body: 'only on this machine; on a cluster, use kubectl port-forward\n',
};

/** Controllers that wait for their caches, or were stopped, do not work, and do not hang. */
function isLive({ controllers }: ReturnType<StatusSubject['health']>): boolean {
  return [...controllers.values()].every(({ stuck }) => stuck.length === 0);
}

function healthPage(
  subject: StatusSubject,
  good: boolean,
  { verbose, trusted }: { readonly verbose: boolean; readonly trusted: boolean },
): StatusPage {
  const contentType = 'text/plain; charset=utf-8';
  const status = good ? 200 : 500;
  if (!trusted) return { status, contentType, body: good ? 'ok' : 'failed' };
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
