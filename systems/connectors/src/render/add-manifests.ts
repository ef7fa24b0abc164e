import { identityText, Manifest, type ManifestItem, type Scopes } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { mergeObject } from './merge-object.ts';
import { RenderFailure } from '../render-failure.ts';
import { shownObject } from './shown-object.ts';

export interface AddOptions {
  readonly target: string;
  readonly scopes: Scopes;
  /** Objects outside of the namespace of the Connector, too: its users then have the rights of the operator. */
  readonly allowClusterScope: boolean;
  /** Labels, annotations and registry for what is added. */
  readonly globally?: (added: Manifest) => Manifest;
}

/** The requeue delay for a kind that is not served. */
const unknownKindMs = 60_000;

/** Further objects: laid over those that are there, and put behind them otherwise. They are final. */
export function withAdditional(
  manifest: Manifest,
  additional: readonly ManifestItem[],
  { target, scopes, allowClusterScope, globally = (added) => added }: AddOptions,
): Manifest {
  const placed = additional.map(({ object, origin }) => ({ origin, object: place(object, target, scopes) }));
  if (!allowClusterScope) for (const { object } of placed) mustBeInside(object, target, scopes);
  const items = [...manifest.items];
  const at = new Map(items.map(({ object }, index) => [identityText(object), index]));
  for (const item of globally(new Manifest(placed)).items) {
    const key = identityText(item.object);
    const index = at.get(key);
    const before = index === undefined ? undefined : items[index];
    if (index === undefined || !before) {
      at.set(key, items.length);
      items.push(item);
    } else items[index] = { ...item, object: merged(before.object, item.object) };
  }
  return new Manifest(items);
}

function merged(before: DynamicObject, over: DynamicObject): DynamicObject {
  try {
    return mergeObject(before, { ...over, apiVersion: before.apiVersion });
  } catch (error) {
    throw new RenderFailure('InvalidAdditionalManifests', `${shownObject(over)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function place(object: DynamicObject, target: string, scopes: Scopes): DynamicObject {
  if (scopes.of(object) === 'Cluster' || object.metadata.namespace) return object;
  return { ...object, metadata: { ...object.metadata, namespace: target } };
}

/** Objects are made with the rights of the operator. Who may only write Connectors must not gain them. */
function mustBeInside(object: DynamicObject, target: string, scopes: Scopes): void {
  const name = `${object.kind}/${object.metadata.name ?? ''}`;
  const hint = 'unless the operator runs with --additional-manifests-cluster-scope';
  const scope = scopes.of(object);
  if (scope === undefined)
    throw new RenderFailure(
      'ForbiddenAdditionalObject',
      `${name} not allowed: the cluster does not serve this kind, so its scope is not known`,
      { retryMs: unknownKindMs },
    );
  if (scope === 'Cluster')
    throw new RenderFailure('ForbiddenAdditionalObject', `${name} not allowed: it is in no namespace, ${hint}`);
  if (object.metadata.namespace !== target)
    throw new RenderFailure(
      'ForbiddenAdditionalObject',
      `${name} not allowed: it is in namespace ${object.metadata.namespace} and not in ${target}, ${hint}`,
    );
}
