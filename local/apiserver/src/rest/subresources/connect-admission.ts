import type { AdmissionRequest } from '../../admission/admission.ts';
import type { Draft, Resource } from '../../registry/resource.ts';
import { parseBoolean } from '../../request/options.ts';
import type { RequestContext } from '../request-context.ts';
import type { RestParts } from '../resource-handler.ts';

/**
 * Passes a connection (exec, attach, port-forward, proxy) to admission before the object is read, as upstream does. The
 * object under review is the options of the connection. Throws a denial.
 */
export async function reviewConnection(parts: RestParts, context: RequestContext, resource: Resource): Promise<void> {
  const { namespace, subresource, name, parts: segments } = context.info;
  const { kind = '' } = resource.subresources.find((each) => each.name === subresource) ?? {};
  const options = connectOptions(kind, context.request.query, segments.slice(3));
  const request: AdmissionRequest = {
    operation: 'CONNECT',
    resource,
    subresource,
    kind: { group: '', version: 'v1', kind },
    namespace,
    name,
    object: { kind, apiVersion: 'v1', ...options } as Draft,
    user: context.user,
    dryRun: false,
    options: null,
    warn: (text) => context.warnings.add(text),
    annotate: context.annotate,
  };
  await parts.admission.mutate(request);
  await parts.admission.validate(request);
}

/** The query as the options object that Go decodes it to; zero values are left out. */
function connectOptions(
  kind: string,
  query: URLSearchParams,
  path: readonly string[],
): Readonly<Record<string, unknown>> {
  if (kind.endsWith('ProxyOptions')) return path.length > 0 ? { path: path.join('/') } : {};
  if (kind === 'PodPortForwardOptions') {
    const ports = query.getAll('ports').map(Number);
    return ports.length > 0 ? { ports } : {};
  }
  const options: Record<string, unknown> = {};
  for (const flag of ['stdin', 'stdout', 'stderr', 'tty'])
    if (query.has(flag) && parseBoolean(query.get(flag) ?? '')) options[flag] = true;
  const container = query.get('container');
  if (container) options['container'] = container;
  if (kind === 'PodExecOptions') options['command'] = query.getAll('command');
  return options;
}
