import { Manifest } from '@tektite/manifest';
import { PayloadError } from '../payload/payload-source.ts';
import type { ComponentDescription } from './component-description.ts';
import type { ComponentObject } from './component-object.ts';
import type { ObservedComponent } from './observed-component.ts';

/** The objects of the component's release, and those that belong to it without one; who made it, if not upstream. */
export async function loadRelease<T extends ComponentObject>(
  description: ComponentDescription<T>,
  { services, spec, pinnedVersion }: ObservedComponent<T>,
): Promise<{ readonly manifest: Manifest; readonly maker?: string }> {
  const { payload } = services;
  if (description.isOfOperator) return { manifest: new Manifest() };
  const folders = description.folders(spec);
  const { manifest: release, ...made } = description.flat
    ? { manifest: await payload.extra(folders[0] ?? '') }
    : await payload.release(folders, pinnedVersion);
  if (!release) throw new PayloadError(`there is no release of ${folders[0]}`);
  const extras: Manifest[] = [];
  for (const folder of description.extras?.(services) ?? []) {
    const extra = await payload.extra(folder);
    if (extra) extras.push(extra);
  }
  const { maker } = made as { readonly maker?: string };
  return { manifest: release.append(...extras), ...(maker === undefined ? {} : { maker }) };
}

/** The identity of a release: its version and, behind a plus, its maker. */
export function payloadIdentity(version: string, maker: string | undefined): string {
  return maker === undefined ? version : `${version}+${maker}`;
}

/** The version in the identity of a release. */
export function payloadVersion(identity: string): string {
  return identity.replace(/\+[^+]*$/, '');
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
