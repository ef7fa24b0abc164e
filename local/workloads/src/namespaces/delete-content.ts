import { type ApiResource, type Client, ignoreNotFound } from '@tektite/client';
import { formatApiVersion, isStatusError } from '@tektite/meta';
import type { ContentReport } from './namespace-conditions.ts';

/**
 * The resources to delete with a namespace: all namespaced resources with the verb `delete`, each in its preferred
 * version.
 */
export function contentOf(resources: readonly ApiResource[]): readonly ApiResource[] {
  const seen = new Set<string>();
  return resources.filter(({ group, plural, scope, verbs }) => {
    if (scope !== 'Namespaced' || !verbs.includes('delete') || !verbs.includes('list')) return false;
    const name = `${plural}.${group}`;
    return !seen.has(name) && seen.add(name);
  });
}

/**
 * Deletes everything in a namespace and returns the remaining content. Pods are deleted first, the rest after them, so
 * that the objects that a terminating Pod still needs (policies, Secrets) outlive it.
 */
export async function deleteContent(client: Client, namespace: string, signal: AbortSignal): Promise<ContentReport> {
  client.discovery.forget();
  const { resources, unavailable } = await client.discovery.all();
  const content = contentOf(resources);
  const report = {
    failures: [] as string[],
    remaining: new Map<string, number>(),
    finalizers: new Map<string, number>(),
  };
  const isPod = ({ group, plural }: ApiResource) => group === '' && plural === 'pods';
  const emptyAll = (which: readonly ApiResource[]) =>
    Promise.all(which.map((resource) => empty(client, namespace, resource, report, signal)));
  await emptyAll(content.filter(isPod));
  if (report.remaining.size === 0) await emptyAll(content.filter((resource) => !isPod(resource)));
  return { ...report, undiscovered: unavailable };
}

interface Counts {
  readonly failures: string[];
  readonly remaining: Map<string, number>;
  readonly finalizers: Map<string, number>;
}

async function empty(
  client: Client,
  namespace: string,
  resource: ApiResource,
  { failures, remaining, finalizers }: Counts,
  signal: AbortSignal,
): Promise<void> {
  const kind = { apiVersion: formatApiVersion(resource), kind: resource.kind };
  const list = () => client.list(kind, { namespace, signal });
  try {
    if ((await list()).items.length === 0) return;
    await deleteAll(client, namespace, resource, signal);
    const left = (await list()).items;
    if (left.length === 0) return;
    remaining.set(`${resource.plural}.${resource.group}`, left.length);
    for (const { metadata } of left)
      for (const finalizer of metadata.finalizers ?? [])
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  } catch (error) {
    // A resource that is no longer served has no content left.
    if (isStatusError(error, 'NotFound') || isStatusError(error, 'MethodNotAllowed')) return;
    if (signal.aborted) throw error;
    failures.push(error instanceof Error ? error.message : String(error));
  }
}

async function deleteAll(client: Client, namespace: string, resource: ApiResource, signal: AbortSignal): Promise<void> {
  const kind = { apiVersion: formatApiVersion(resource), kind: resource.kind };
  const options = { propagationPolicy: 'Background', signal } as const;
  if (resource.verbs.includes('deletecollection')) return client.deleteCollection(kind, { namespace, ...options });
  for (const { metadata } of (await client.list(kind, { namespace, signal })).items) {
    const key = { namespace, name: metadata.name ?? '' };
    await client.delete(kind, key, options).catch(ignoreNotFound);
  }
}
