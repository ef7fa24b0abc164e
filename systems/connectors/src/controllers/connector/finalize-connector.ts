import { done, type ReconcileContext, requeueAfter, type Result } from '@tektite/controller';
import { formatTime, setCondition } from '@tektite/meta';
import { installManifestName, manifestTypes } from '../../connector-keys.ts';
import type { Connector } from '../../kinds/connector.ts';
import { InstallManifest } from '../../kinds/install-manifest.ts';
import { inOrder } from './decide.ts';
import { deleteManifest } from './write-manifests.ts';

/**
 * The end of a Connector: its InstallManifests go, first the one that workloads need, and take everything with them. Nothing is rendered
 * for that, so that no broken payload holds it up.
 */
export async function finalizeConnector(
  connector: Connector,
  cached: readonly InstallManifest[],
  context: ReconcileContext,
  requeueMs: number,
): Promise<Result> {
  const { client, clock, event, signal } = context;
  const found = await allOf(connector, cached, context);
  if (found.length === 0) {
    event({ reason: 'Uninstalled', message: 'all installed objects are deleted, except those that are always kept' });
    return done;
  }
  const left = found.map(({ metadata }) => metadata.name).join(' and ');
  const ready = {
    type: 'Ready',
    status: 'False',
    reason: 'Deleting',
    message: `waiting for ${left} to go`,
    observedGeneration: connector.metadata.generation ?? 0,
  } as const;
  const conditions = setCondition(connector.status?.conditions ?? [], ready, formatTime(clock.now()));
  await context.writeStatus(connector, { ...connector.status, conditions });
  for (const manifest of inOrder(found))
    if (!manifest.metadata.deletionTimestamp) await deleteManifest(client, manifest, signal);
  return requeueAfter(requeueMs);
}

/** The InstallManifests of the cache, and those of a live list that the cache may not show yet. */
async function allOf(
  { metadata }: Connector,
  cached: readonly InstallManifest[],
  { client, signal }: ReconcileContext,
): Promise<readonly InstallManifest[]> {
  if (cached.length > 0) return cached;
  const { name = '', namespace = '' } = metadata;
  const named = await Promise.all(
    manifestTypes.map((type) =>
      client.getOrUndefined(InstallManifest, { name: installManifestName({ namespace, name }, type) }, { signal }),
    ),
  );
  return named.filter((manifest) => manifest !== undefined);
}
