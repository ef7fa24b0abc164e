import { keys, type ManifestType, manifestTypes } from '../connector-keys.ts';
import type { InstallManifest } from './install-manifest.ts';

/** The part of a Connector that an InstallManifest holds: by its label, or by its name where an older operator set none. */
export function manifestTypeOf({ metadata }: InstallManifest): ManifestType {
  const label = metadata.labels?.[keys.manifestType];
  const known = manifestTypes.find((type) => type === label);
  return known ?? (metadata.name?.endsWith('-static') ? 'static' : 'deployment');
}
