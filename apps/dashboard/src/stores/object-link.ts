import type { Resource } from '../api/resource.ts';

/** The address of an object in the page: runs, Pipelines and Tasks have their own pages. */
export function objectLink({ group, version, plural }: Resource, namespace: string, name: string): string {
  const place = `${encodeURIComponent(namespace || '-')}/${encodeURIComponent(name)}`;
  if (group === 'tekton.dev') {
    if (plural === 'pipelineruns' || plural === 'taskruns') return `/runs/${plural.slice(0, -1)}/${place}`;
    if (plural === 'pipelines' || plural === 'tasks') return `/pipelines/${plural.slice(0, -1)}/${place}`;
  }
  return `/objects/${group || 'core'}/${version}/${plural}/${place}`;
}
