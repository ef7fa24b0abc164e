import { keys } from '../../connector-keys.ts';
import type { InstallManifest } from '../../kinds/install-manifest.ts';

/** The keys of the Connectors that an InstallManifest belongs to: one, or none where it is ambiguous. */
export function connectorKeys({ metadata, spec }: InstallManifest): readonly string[] {
  const { connectorRef } = spec;
  if (connectorRef) return [`${connectorRef.namespace}/${connectorRef.name}`];
  const { labels = {}, annotations = {} } = metadata;
  const name = annotations[keys.connectorName] ?? labels[keys.connectorName] ?? labels[keys.formerName];
  // Early versions did not say which namespace; their objects do.
  const namespace =
    labels[keys.connectorNamespace] ??
    annotations[keys.targetNamespace] ??
    spec.manifests.map((object) => object.metadata?.namespace).find((each) => each !== undefined);
  return name && namespace ? [`${namespace}/${name}`] : [];
}
