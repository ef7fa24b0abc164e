import { Manifest } from '@tektite/manifest';
import { PayloadError } from '../payload/payload-source.ts';
import type { ComponentDescription } from './component-description.ts';
import type { ComponentObject } from './component-object.ts';
import type { ObservedComponent } from './observed-component.ts';

/** The objects of the component's release, and those that belong to it without one. */
export async function loadRelease<T extends ComponentObject>(
  description: ComponentDescription<T>,
  { services, spec, pinnedVersion }: ObservedComponent<T>,
): Promise<Manifest> {
  const { payload } = services;
  if (description.isOfOperator) return new Manifest();
  const folders = description.folders(spec);
  const release = description.flat
    ? await payload.extra(folders[0] ?? '')
    : (await payload.release(folders, pinnedVersion)).manifest;
  if (!release) throw new PayloadError(`there is no release of ${folders[0]}`);
  const extras: Manifest[] = [];
  for (const folder of description.extras?.(services) ?? []) {
    const extra = await payload.extra(folder);
    if (extra) extras.push(extra);
  }
  return release.append(...extras);
}

/** The version in the release. */
export function componentVersion<T extends ComponentObject>(
  description: ComponentDescription<T>,
  { services }: ObservedComponent<T>,
  release: Manifest,
): string {
  if (description.isOfOperator) return services.version;
  const map = release.objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === description.versionMap,
  ) as { readonly data?: Readonly<Record<string, string>> } | undefined;
  return map?.data?.version ?? description.unknownVersion ?? 'Unknown';
}
