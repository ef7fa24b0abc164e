import type { Manifest } from '@tektite/manifest';
import type { ComponentDescription, PlannedSets } from '../../component/component-description.ts';
import type { ComponentObject } from '../../component/component-object.ts';
import type { DependencyFacts } from '../../component/dependencies.ts';
import { hasApi } from '../../component/has-api.ts';
import type { ObservedComponent } from '../../component/observed-component.ts';
import { planSets } from '../../component/planned-sets.ts';
import { componentVersion, loadRelease, payloadIdentity } from '../../component/release-of.ts';
import { isManifestProblem } from '../../payload/manifest-problem.ts';

/** A release that can be installed. */
export interface UsableRelease {
  readonly release: Manifest;
  readonly version: string;
  /** Which one it is: upstream's and that of this program have the same versions. */
  readonly payload: string;
}

/** A release, or why it cannot be used. */
export type ObservedRelease = UsableRelease | { readonly problem: string };

export async function observeRelease<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
): Promise<ObservedRelease> {
  try {
    const { manifest: release, maker } = await loadRelease(description, observed);
    const version = componentVersion(description, observed, release);
    return { release, version, payload: payloadIdentity(version, maker) };
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
  { release, payload }: UsableRelease,
): Promise<readonly PlannedSets[] | { readonly problem: string }> {
  try {
    return await planSets(description, observed, release, payload);
  } catch (error) {
    if (!isManifestProblem(error)) throw error;
    return { problem: error.message };
  }
}
