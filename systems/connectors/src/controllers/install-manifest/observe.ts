import type { Client } from '@tektite/client';
import { cached, mapped, type ReconcileContext } from '@tektite/controller';
import { keys } from '../../connector-keys.ts';
import { Connector } from '../../kinds/connector.ts';
import { InstallManifest } from '../../kinds/install-manifest.ts';
import { manifestTypeOf } from '../../kinds/manifest-type.ts';
import type { RenderedSet } from '../../render/render-connector.ts';
import type { Renderer } from '../../render/renderer.ts';
import { RenderFailure } from '../../render-failure.ts';
import { type Content, contentOf } from './manifest-content.ts';
import type { InUse } from './manifest-dialect.ts';

/** The InstallManifests of a Connector by its labels. */
const holder = 'holder';
const holderOf = ({ metadata }: Pick<InstallManifest, 'metadata'>): string =>
  `${metadata.labels?.[keys.connectorNamespace] ?? ''}/${metadata.labels?.[keys.connectorName] ?? ''}`;

/** The watches of the controller of InstallManifests. */
export const manifestSources = {
  connectors: cached(Connector),
  manifests: mapped(
    InstallManifest,
    // Those that wait for this one have the same beginning.
    ({ metadata: { name = '' } }) => (name.endsWith('-static') ? [name.replace(/-static$/, '-deployment')] : []),
    { indexes: { [holder]: (manifest) => [holderOf(manifest)] } },
  ),
};

/** Whether a Connector still has InstallManifests. */
export function observeUse({ cache }: Pick<ReconcileContext, 'cache'>): InUse {
  const manifests = cache(manifestSources.manifests);
  return (namespace, name) => manifests.byIndex(holder, `${namespace}/${name}`).length > 0;
}

/** The InstallManifests that this one depends on, by their names, as the cache has them. */
export function observeDependencies(
  { spec }: InstallManifest,
  { cache }: ReconcileContext,
): ReadonlyMap<string, InstallManifest | undefined> {
  const manifests = cache(manifestSources.manifests);
  return new Map((spec.dependsOn ?? []).map((name) => [name, manifests.get(name)]));
}

/** The objects of an InstallManifest: its record, or a rendering of its Connector that is equal to it. */
export async function observeContent(
  manifest: InstallManifest,
  { cache, client, signal }: ReconcileContext,
  renderer: Renderer,
): Promise<Content> {
  const recorded = contentOf(manifest, { problem: '' });
  if ('objects' in recorded) return recorded;
  const { connectorRef } = manifest.spec;
  const named = connectorRef ? `Connector ${connectorRef.namespace}/${connectorRef.name}` : 'its Connector';
  const connector =
    connectorRef && cache(manifestSources.connectors).get(`${connectorRef.namespace}/${connectorRef.name}`);
  if (!connector) return { mismatch: `${named} is not there` };
  if (connectorRef.uid && connector.metadata.uid !== connectorRef.uid)
    return { mismatch: `${named} is another one of the same name` };
  return contentOf(manifest, await renderedFor(manifest, connector, client, renderer, signal));
}

/** The cached rendering for it; otherwise the current rendering of the Connector. */
async function renderedFor(
  manifest: InstallManifest,
  connector: Connector,
  client: Client,
  renderer: Renderer,
  signal: AbortSignal,
): Promise<RenderedSet | { readonly problem: string }> {
  const type = manifestTypeOf(manifest);
  const hash = manifest.metadata.annotations?.[keys.hash] ?? '';
  const known = renderer.recall(connector.metadata.uid ?? '', type, hash);
  if (known) return known[type];
  try {
    return (await renderer.render(client, connector, signal))[type];
  } catch (error) {
    if (!(error instanceof RenderFailure)) throw error;
    return { problem: `${error.reason}: ${error.message}` };
  }
}
