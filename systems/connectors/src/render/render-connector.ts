import { identityText, type Manifest, type Scopes, setLabels, sha256Hex } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { connectorLabels, keys, operatorName } from '../connector-keys.ts';
import type { Connector } from '../kinds/connector.ts';
import type { AdditionalManifests } from '../payload/manifest-fetcher.ts';
import type { Payload } from '../payload/payload.ts';
import { withAdditional } from './add-manifests.ts';
import { isWorkload, withWorkloads } from './change-workloads.ts';
import { withGlobalSettings } from './global-settings.ts';
import { type HashedObject, objectHash, setHash } from './object-hash.ts';
import { RenderFailure } from '../render-failure.ts';
import { shownObject } from './shown-object.ts';
import { intoNamespace } from './target-namespace.ts';

/** Objects that are installed together. */
export interface RenderedSet {
  readonly objects: readonly HashedObject[];
  readonly hash: string;
}

/** All that a Connector wants to be there. */
export interface Rendered {
  readonly static: RenderedSet;
  readonly deployment: RenderedSet;
  readonly manifestsHash: string;
  readonly payloadVersion: string;
  /** Empty without additional manifests. */
  readonly additionalDigest: string;
  readonly size: number;
}

export interface RenderInput {
  readonly connector: Connector;
  /** Undefined: there is none of this name. */
  readonly payload: Payload | undefined;
  readonly additional?: AdditionalManifests;
  readonly operatorVersion: string;
  /** Which kinds are in namespaces. */
  readonly scopes: Scopes;
  readonly allowClusterScope?: boolean;
}

/**
 * Renders a Connector: the payload in its namespace, then labels, annotations and registry, then workloads, then
 * additional manifests. Pure: the same input gives the same objects in the same order. Throws a RenderFailure.
 */
export function renderConnector(input: RenderInput): Rendered {
  const { connector, payload, additional, scopes } = input;
  const { spec } = connector;
  const target = connector.metadata.namespace ?? '';
  if (!payload || payload.manifest.size === 0)
    throw new RenderFailure('PayloadMissing', `no payload for component "${componentOf(connector)}"`);
  const globally = (manifest: Manifest) => withGlobalSettings(manifest, spec);
  const own = withWorkloads(globally(intoNamespace(payload.manifest, target, scopes)), spec.workloads ?? []);
  const all = additional
    ? withAdditional(own, additional.items, {
        target,
        scopes,
        allowClusterScope: input.allowClusterScope ?? false,
        ...(spec.additionalManifestsApplyGlobal ? { globally } : {}),
      })
    : own;
  const labels = connectorLabels({ namespace: target, name: connector.metadata.name ?? '' });
  const kept = all.transform(setLabels({ [keys.managedBy]: operatorName, ...labels }), withoutHash, withoutNulls);
  return summed(input, payload, kept);
}

export function componentOf({ metadata, spec }: Connector): string {
  return spec.component ?? metadata.name ?? '';
}

/** The hash is written by who installs, and is no part of what is wanted. */
function withoutHash(draft: { metadata: { annotations?: Record<string, string> } }): void {
  const { annotations } = draft.metadata;
  if (annotations) delete annotations[keys.hash];
}

/** A field that is null is one that is not there, as the API server takes it; tools that generate YAML write many. */
function withoutNulls(draft: DynamicObject): void {
  const left: object[] = [draft];
  for (let next = left.pop(); next; next = left.pop()) {
    for (const [key, value] of Object.entries(next) as [string, unknown][]) {
      if (typeof value === 'object' && value !== null) left.push(value);
      else if (value === null && !Array.isArray(next)) delete (next as Record<string, unknown>)[key];
    }
  }
}

function mustDiffer(objects: readonly DynamicObject[]): void {
  const seen = new Set<string>();
  for (const object of objects) {
    if (!object.metadata.name) throw new RenderFailure('ParseFailed', `a ${object.kind} has no name`);
    const key = identityText(object);
    if (seen.has(key)) throw new RenderFailure('DuplicateObject', `${shownObject(object)} is there twice`);
    seen.add(key);
  }
}

function summed({ additional, operatorVersion }: RenderInput, payload: Payload, { objects }: Manifest): Rendered {
  mustDiffer(objects);
  const hashed = objects.map((object) => ({ object, hash: objectHash(object) }));
  const set = (own: readonly HashedObject[]): RenderedSet => ({ objects: own, hash: setHash(own) });
  const deployment = set(hashed.filter(({ object }) => isWorkload(object)));
  const rest = set(hashed.filter(({ object }) => !isWorkload(object)));
  return {
    static: rest,
    deployment,
    manifestsHash: sha256Hex(rest.hash + deployment.hash),
    payloadVersion: payload.version ?? infoVersion(payload) ?? operatorVersion,
    additionalDigest: additional?.digest ?? '',
    size: objects.length,
  };
}

/** Of the ConfigMap `<component>-info`. */
function infoVersion({ component, manifest }: Payload): string | undefined {
  const info = manifest.objects.find(
    ({ apiVersion, kind, metadata }) =>
      apiVersion === 'v1' && kind === 'ConfigMap' && metadata.name === `${component}-info`,
  );
  const { version } = (info?.data ?? {}) as { readonly version?: unknown };
  return typeof version === 'string' && version !== '' ? version : undefined;
}
