import type { ReconcileContext } from '@tektite/controller';
import type { Connector } from '../../kinds/connector.ts';
import type { InstallManifest } from '../../kinds/install-manifest.ts';
import { RenderFailure } from '../../render-failure.ts';
import type { Rendered } from '../../render/render-connector.ts';
import { byConnector, manifests, namespaces } from './connector-sources.ts';
import type { ConnectorControllerOptions } from './connector-options.ts';
import { type WantedManifest, wantedManifests } from './manifest-for.ts';

/** A Connector as one reconcile observes it. */
export interface ObservedConnector {
  readonly connector: Connector;
  /** All InstallManifests that belong to the Connector, or may. */
  readonly found: readonly InstallManifest[];
  readonly isNamespaceTerminating: boolean;
  readonly now: number;
}

export function observe(connector: Connector, { cache, key, clock }: ReconcileContext): ObservedConnector {
  const { namespace = '' } = connector.metadata;
  return {
    connector,
    found: cache(manifests).byIndex(byConnector, key),
    isNamespaceTerminating: cache(namespaces).get(namespace)?.status?.phase === 'Terminating',
    now: clock.now(),
  };
}

/** The objects of a Connector, and the InstallManifests that record them. */
export interface Rendering {
  readonly rendered: Rendered;
  readonly wanted: readonly [WantedManifest, WantedManifest];
}

/** Renders a Connector. Reads its payload and additional manifests. */
export async function observeRendering(
  connector: Connector,
  { client, signal }: ReconcileContext,
  { renderer, operatorVersion }: ConnectorControllerOptions,
): Promise<Rendering | RenderFailure> {
  try {
    const rendered = await renderer.render(client, connector, signal);
    return { rendered, wanted: wantedManifests(connector, rendered, operatorVersion) };
  } catch (error) {
    if (error instanceof RenderFailure) return error;
    throw error;
  }
}
