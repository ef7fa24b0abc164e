import { type Client, isClientError } from '@tektite/client';
import { InstallManifest, manifestDialect } from '@tektite/connectors';
import type { InstalledObject, InstalledPhase, ToolAnswers, ToolInput } from '@tektite/dashboard';
import { type InstallerDialect, phaseOf, setScopes } from '@tektite/installer';
import { inParallel, objectStatus, referenceTo } from '@tektite/manifest';
import { type DynamicObject, isStatusError } from '@tektite/meta';
import { objectsOf, tektonDialect, TektonInstallerSet } from '@tektite/tekton-operator';
import { UserError } from '../../user-error.ts';

const readers = 8;

/** The objects of an installer set in the phases that create them, and how each is. */
export async function installedObjects(
  client: Client,
  { kind = '', name = '' }: ToolInput,
  signal: AbortSignal,
): Promise<ToolAnswers['installed-objects']> {
  const { objects, dialect } = await readSet(client, kind, name);
  const scopeOf = await setScopes(client, objects);
  const found = new Map<DynamicObject, InstalledObject>();
  await inParallel(objects, readers, async (object) => {
    signal.throwIfAborted();
    found.set(object, await installedObject(client, object, signal));
  });
  const phases = dialect.phases.flatMap((phase): InstalledPhase[] => {
    const own = objects.filter((object) => phaseOf(dialect, object, scopeOf(object)) === phase);
    const shown = own.flatMap((object) => found.get(object) ?? []);
    return shown.length === 0 ? [] : [{ name: phase.name, condition: phase.condition ?? '', objects: shown }];
  });
  return { phases };
}

interface ReadSet {
  readonly objects: readonly DynamicObject[];
  readonly dialect: InstallerDialect;
}

async function readSet(client: Client, kind: string, name: string): Promise<ReadSet> {
  if (kind === TektonInstallerSet.kind)
    return { objects: objectsOf(await client.get(TektonInstallerSet, { name })), dialect: tektonDialect({}) };
  if (kind !== InstallManifest.kind) throw new UserError(`${kind} is no kind of installer set`);
  const { spec } = await client.get(InstallManifest, { name });
  return { objects: spec.manifests, dialect: manifestDialect(() => false) };
}

async function installedObject(client: Client, object: DynamicObject, signal: AbortSignal): Promise<InstalledObject> {
  const { apiVersion, kind, name, namespace } = referenceTo(object);
  const shown = { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
  try {
    const live = await client.getOrUndefined({ apiVersion, kind }, { name, namespace: namespace ?? '' }, { signal });
    if (!live) return { ...shown, health: 'NotFound', message: 'it does not exist' };
    const { status, message } = objectStatus(live, { now: client.clock.now() });
    return { ...shown, health: status, message: status === 'Current' ? '' : message };
  } catch (error) {
    // A kind that is not served yet, or an object that the visitor may not read.
    if (!isStatusError(error) && !isClientError(error, 'UNKNOWN_KIND')) throw error;
    return { ...shown, health: 'Unknown', message: error.message };
  }
}
