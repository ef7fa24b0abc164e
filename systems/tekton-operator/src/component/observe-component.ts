import type { ReconcileContext } from '@tektite/controller';
import type { Manifest } from '@tektite/manifest';
import type { OperatorServices } from '../extension/operator-services.ts';
import { InstallerSets } from '../installer-set/installer-sets.ts';
import type { TektonInstallerSet } from '../kinds/kinds.ts';
import { imagesFrom } from '../transform/images.ts';
import { transformManifest } from '../transform/transform-manifest.ts';
import { completeSpec } from './complete-spec.ts';
import type { ComponentDescription } from './component-description.ts';
import type { ComponentObject } from './component-object.ts';
import { ObservedComponent } from './observed-component.ts';

/** Observes a component: its spec as Go prints it, with defaults, its images, and its installer sets. */
export function observeComponent<T extends ComponentObject>(
  description: ComponentDescription<T>,
  component: T,
  services: OperatorServices,
  context: ReconcileContext,
  listSets: () => readonly TektonInstallerSet[],
): ObservedComponent<T> {
  const { kind } = description;
  const spec = completeSpec(description, component.spec, services.platform);
  const observed: ObservedComponent<T> = new ObservedComponent({
    kind,
    component,
    spec,
    images: imagesFrom(services.environment, description.imagePrefix, !description.namedImagesStay),
    sets: new InstallerSets(context.client, component, listSets),
    services,
    context,
    transform: (manifest) => transformRelease(description, observed, manifest),
  });
  return observed;
}

/** The objects of a release as the component installs them. */
function transformRelease<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
  manifest: Manifest,
): Manifest {
  const { services, component, namespace, spec, kind } = observed;
  const extension = services.extension.components?.[kind]?.transforms?.(component, services) ?? [];
  const { options } = spec;
  return transformManifest(manifest, {
    component,
    namespace,
    environment: services.environment,
    steps: description.steps(observed, extension),
    ...(options ? { options } : {}),
  });
}
