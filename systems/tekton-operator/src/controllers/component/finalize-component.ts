import { kinds } from '@tektite/client';
import type { Result } from '@tektite/controller';
import { ignoreMissing } from '../../installer-set/installer-sets.ts';
import { isManifestProblem } from '../../payload/manifest-problem.ts';
import type { ComponentDescription } from '../../component/component-description.ts';
import type { ComponentObject } from '../../component/component-object.ts';
import type { ObservedComponent } from '../../component/observed-component.ts';
import { requeueLater } from '../../extension/progress.ts';
import { extensionContext } from './act.ts';
import { releaseRuns } from './release-runs.ts';
import { loadRelease } from '../../component/release-of.ts';

/**
 * Finalizes a component: first its CustomResourceDefinitions, so that objects of users that hold finalizers are
 * released while the controllers still run; then its sets; then the finalizers that its controllers put on runs. The component
 * stays until its sets are deleted.
 */
export async function finalizeComponent<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
): Promise<Result | undefined> {
  const { context, component, services } = observed;
  if (component.metadata.name !== description.name) return undefined;
  if (description.deletesDefinitions !== false) {
    const left = await deleteDefinitions(description, observed);
    if (left > 0) return requeueLater;
  }
  const sets = observed.sets.of(observed.kind);
  await observed.sets.deleteAll(sets);
  if (sets.length > 0) return requeueLater;
  const { runFinalizers } = description;
  if (runFinalizers) {
    // A controller that still runs would add its finalizer to the next run.
    if (await hasPods(observed, runFinalizers.partOf)) return requeueLater;
    if (!(await releaseRuns(context.client, runFinalizers.prefix))) return requeueLater;
  }
  try {
    await services.extension.components?.[observed.kind]?.finalize?.(extensionContext(observed));
  } catch (error) {
    context.signal.throwIfAborted();
    context.log.error('the platform could not be cleaned up', { error: error as Error });
  }
  return undefined;
}

/** The longest wait for Pods: those of a lost node may never be deleted. */
const maxPodsMs = 2 * 60_000;

async function hasPods<T extends ComponentObject>(
  { context, component, namespace }: ObservedComponent<T>,
  partOf: string,
): Promise<boolean> {
  const since = Date.parse(component.metadata.deletionTimestamp ?? '');
  if (context.clock.now() > since + maxPodsMs) return false;
  const labelSelector = `app.kubernetes.io/part-of=${partOf}`;
  const { items } = await context.client.list(kinds.Pod, { namespace, labelSelector, limit: 1, metadataOnly: true });
  return items.length > 0;
}

/** Deletes them, and says how many are still there. */
async function deleteDefinitions<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
): Promise<number> {
  const { client } = observed.context;
  let left = 0;
  for (const name of await definitionNames(description, observed)) {
    const live = await client.getOrUndefined(kinds.CustomResourceDefinition, { name });
    if (!live) continue;
    left++;
    if (!live.metadata.deletionTimestamp) await ignoreMissing(client.delete(kinds.CustomResourceDefinition, { name }));
  }
  return left;
}

/** Those of the release, or, when that cannot be read any more, those that its sets hold. */
async function definitionNames<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
): Promise<readonly string[]> {
  const isDefinition = ({ kind }: { readonly kind: string }) => kind === 'CustomResourceDefinition';
  const held = observed.sets
    .of(observed.kind)
    .flatMap(({ spec }) => (Array.isArray(spec?.manifests) ? spec.manifests : []));
  let objects: readonly { readonly kind: string; readonly metadata: { readonly name?: string } }[] = held;
  try {
    objects = [...held, ...(await loadRelease(description, observed)).manifest.objects];
  } catch (error) {
    if (!isManifestProblem(error)) throw error;
  }
  return [...new Set(objects.filter(isDefinition).map(({ metadata }) => metadata.name ?? ''))].filter(Boolean);
}
