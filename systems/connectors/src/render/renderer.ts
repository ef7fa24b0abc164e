import type { Client } from '@tektite/client';
import { discoveredScopes, knownScopes, Manifest, type ManifestItem, type Scopes } from '@tektite/manifest';
import type { Connector } from '../kinds/connector.ts';
import type { AdditionalManifests, ManifestFetcher } from '../payload/manifest-fetcher.ts';
import type { Payload, PayloadSource } from '../payload/payload.ts';
import { componentOf, renderConnector, type Rendered } from './render-connector.ts';

export interface RendererOptions {
  readonly payloads: PayloadSource;
  readonly fetcher: ManifestFetcher;
  readonly operatorVersion: string;
  readonly allowClusterScope: boolean;
}

interface Known {
  readonly key: string;
  readonly rendered: Rendered;
}

/** How many states of a Connector are remembered: the one that is installed, and the one that comes. */
const remembered = 2;

/** Renders Connectors, each state of one once. */
export class Renderer {
  private readonly options: RendererOptions;
  private readonly known = new Map<string, readonly Known[]>();

  constructor(options: RendererOptions) {
    this.options = options;
  }

  /** The current rendering of the Connector. Rejects with a RenderFailure. */
  async render(client: Client, connector: Connector, signal?: AbortSignal): Promise<Rendered> {
    const { payloads, fetcher, operatorVersion, allowClusterScope } = this.options;
    const { uid = '', generation = 0 } = connector.metadata;
    const { additionalManifests: list, additionalManifestsSHA256: pin } = connector.spec;
    const payload = await payloads.load(componentOf(connector));
    const additional = list ? await fetcher.read(list, `${uid}/${generation}`, pin, signal) : undefined;
    const scopes = await scopesFor(client, payload, additional);
    const key = [generation, operatorVersion, payload?.digest, additional?.digest, scopes.text].join('\n');
    const own = this.known.get(uid) ?? [];
    const before = own.find((each) => each.key === key);
    if (before) return before.rendered;
    const rendered = renderConnector({
      connector,
      payload,
      ...(additional ? { additional } : {}),
      operatorVersion,
      scopes: scopes.scopes,
      allowClusterScope,
    });
    if (uid) this.known.set(uid, [{ key, rendered }, ...own].slice(0, remembered));
    return rendered;
  }

  /** An earlier rendering with this hash, which may differ from the current one. */
  recall(uid: string, type: 'static' | 'deployment', hash: string): Rendered | undefined {
    return this.known.get(uid)?.find(({ rendered }) => rendered[type].hash === hash)?.rendered;
  }

  forget(uid: string): void {
    this.known.delete(uid);
  }
}

const builtin = knownScopes();

/** The cluster is asked only about kinds that are neither built in nor defined by the payload. */
async function scopesFor(
  client: Client,
  payload: Payload | undefined,
  additional: AdditionalManifests | undefined,
): Promise<{ readonly scopes: Scopes; readonly text: string }> {
  const items: readonly ManifestItem[] = [...(payload?.manifest.items ?? []), ...(additional?.items ?? [])];
  const unknown = items.filter(({ object }) => builtin.of(object) === undefined);
  if (unknown.length === 0) return { scopes: builtin, text: '' };
  const definitions = new Manifest(items.filter(({ object }) => object.kind === 'CustomResourceDefinition'));
  const defined = knownScopes(definitions);
  if (unknown.every(({ object }) => defined.of(object) !== undefined)) return { scopes: defined, text: '' };
  let scopes = await discoveredScopes(client, definitions);
  // A definition may be new.
  if (unknown.some(({ object }) => scopes.of(object) === undefined)) {
    client.discovery.forget();
    scopes = await discoveredScopes(client, definitions);
  }
  return { scopes, text: unknown.map(({ object }) => scopes.of(object) ?? '?').join() };
}
