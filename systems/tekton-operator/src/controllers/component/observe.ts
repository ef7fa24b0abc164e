import type { Manifest } from '@tektite/manifest';
import type { ComponentDescription, PlannedSets } from '../../component/component-description.ts';
import type { ComponentObject } from '../../component/component-object.ts';
import type { DependencyFacts } from '../../component/dependencies.ts';
import { hasApi } from '../../component/has-api.ts';
import type { ObservedComponent } from '../../component/observed-component.ts';
import { planSets } from '../../component/planned-sets.ts';
import { componentVersion, loadRelease } from '../../component/release-of.ts';
import { isManifestProblem } from '../../payload/manifest-problem.ts';

/** A release, or why it cannot be used. */
export type ObservedRelease = { readonly release: Manifest; readonly version: string } | { readonly problem: string };

export async function observeRelease<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
): Promise<ObservedRelease> {
  try {
    const release = await loadRelease(description, observed);
    return { release, version: componentVersion(description, observed, release) };
  } catch (error) {
    if (!isManifestProblem(error)) throw error;
    return { problem: error.message };
  }
}

/** The components that this one depends on, as the caches have them. */
export type CachedDependencies = Omit<DependencyFacts, 'missingApis'>;

/** Adds the APIs that the cluster lacks: discovery is asked only where a component needs one. */
export async function observeDependencies<T extends ComponentObject>(
  { dependency }: ComponentDescription<T>,
  { context }: ObservedComponent<T>,
  cached: CachedDependencies,
): Promise<DependencyFacts> {
  const missingApis: string[] = [];
  for (const api of dependency?.apis ?? []) if (!(await hasApi(context.client, api))) missingApis.push(api);
  return { ...cached, missingApis };
}

/** The installer sets that the component is to have. Some descriptions read further files of the payload for them. */
export async function observeSets<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
  { release, version }: { readonly release: Manifest; readonly version: string },
): Promise<readonly PlannedSets[] | { readonly problem: string }> {
  try {
    return await planSets(description, observed, release, version);
  } catch (error) {
    if (!isManifestProblem(error)) throw error;
    return { problem: error.message };
  }
}
