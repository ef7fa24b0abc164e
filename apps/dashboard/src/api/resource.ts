/** A resource of the API, and perhaps a namespace of it. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export const resources = {
  pipelineRuns: { group: 'tekton.dev', version: 'v1', plural: 'pipelineruns' },
  taskRuns: { group: 'tekton.dev', version: 'v1', plural: 'taskruns' },
  customRuns: { group: 'tekton.dev', version: 'v1beta1', plural: 'customruns' },
  pipelines: { group: 'tekton.dev', version: 'v1', plural: 'pipelines' },
  tasks: { group: 'tekton.dev', version: 'v1', plural: 'tasks' },
  namespaces: { group: '', version: 'v1', plural: 'namespaces' },
  pods: { group: '', version: 'v1', plural: 'pods' },
  events: { group: '', version: 'v1', plural: 'events' },
} as const satisfies Record<string, Resource>;

/** The path of a collection; of all namespaces when none is given. */
export function collectionPath({ group, version, plural }: Resource, namespace?: string): string {
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${base}${namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${plural}`;
}

export function objectPath(resource: Resource, namespace: string | undefined, name: string): string {
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

/** A path with a query, of the values that are there. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`;
}
