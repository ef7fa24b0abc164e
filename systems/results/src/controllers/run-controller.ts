import { type Client, ignoreNotFound } from '@tektite/client';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import { project } from '@tektite/controller/cache';
import type { Kind } from '@tektite/schema';
import { annotations } from '../archive/annotations.ts';
import { type Archive, archiveRun } from '../archive/archive-run.ts';
import { isManagedHere } from '../config/watcher-config.ts';
import { CustomRun, isCompleted, keyOfMetadata, type Run, TaskRun } from '../kinds/runs.ts';
import { deletionOf } from './deletion.ts';

/** The fields that decide whether a run is archived; the rest is read when it is. */
const fields = {
  metadata: { annotations: true, labels: true, ownerReferences: true },
  spec: { managedBy: true },
  status: { conditions: true, completionTime: true },
} as const;

/** Archives runs of a kind, and deletes those that are archived after a while, if that is wanted. */
export function runController(archive: Archive, kind: Kind<Run>): ControllerDefinition {
  const transform = project(kind, fields);
  type Cached = ReturnType<typeof transform>;
  /** The version of each run that is archived: an unchanged run is not read again. */
  const archived = new Map<string, string>();

  async function store(cached: Cached, { client, signal, key }: ReconcileContext): Promise<Run | undefined> {
    const run = await client.get(kind, keyOfMetadata(cached.metadata)).catch(ignoreNotFound);
    if (!run || run.metadata.uid !== cached.metadata.uid) return undefined;
    const written = await archiveRun(archive, client, kind, run, signal);
    archived.set(key, versionOf(written));
    return written;
  }

  const isDue = (cached: Cached): boolean => {
    const config = archive.config();
    if (!isManagedHere(cached.spec?.managedBy, config)) return false;
    return isCompleted(cached as Run) || !config.onlyCompleted;
  };

  return defineController<Run, Cached>({
    name: `results-${kind.kind.toLowerCase()}`,
    kind,
    transform,
    finalizer: {
      name: `results.tekton.dev/${kind.kind.toLowerCase()}`,
      async cleanup(cached, context) {
        if (isDue(cached) && archived.get(context.key) !== versionOf(cached as Run))
          await store(cached, context).catch((error: unknown) => giveUpLate(cached as Run, archive, context, error));
        archived.delete(context.key);
      },
    },
    async reconcile(cached, context): Promise<Result | undefined> {
      if (!isDue(cached)) return undefined;
      if (archived.get(context.key) !== versionOf(cached as Run) && !(await store(cached, context))) return undefined;
      return isCompleted(cached as Run) ? prune(cached as Run, archive, kind, context) : undefined;
    },
  });
}

const versionOf = ({ metadata }: Run) => `${metadata.uid}/${metadata.resourceVersion}`;

/** A run that cannot be archived is let go after a while: its deletion must not wait for ever. */
function giveUpLate(run: Run, { config }: Archive, { clock, log, key }: ReconcileContext, error: unknown): undefined {
  const completed = Date.parse(run.status?.completionTime ?? '');
  if (!(clock.now() > completed + config().storeDeadlineMs)) throw error;
  log.error('a run was deleted that could not be archived', { run: key, error: error as Error });
}

async function prune(
  run: Run,
  { config }: Archive,
  kind: Kind<Run>,
  { client, clock, log, key }: ReconcileContext,
): Promise<Result | undefined> {
  const decision = deletionOf(run, config(), clock.now());
  if (decision.type === 'keep') return undefined;
  if (decision.type === 'wait') return requeueAfter(decision.milliseconds);
  if (!(await areChildrenArchived(client, kind, run))) return requeueAfter(config().requeueMs);
  const { uid = '' } = run.metadata;
  log.info('an archived run is deleted', { run: key });
  await client.delete(kind, keyOfMetadata(run.metadata), { preconditions: { uid } }).catch(ignoreNotFound);
  return undefined;
}

/** Children that were deleted were archived before, or cannot be any more. */
async function areChildrenArchived(client: Client, runKind: Kind<Run>, run: Run): Promise<boolean> {
  if (runKind.kind !== 'PipelineRun') return true;
  const { status } = await client.get(runKind, keyOfMetadata(run.metadata));
  for (const { kind = '', name = '' } of status?.childReferences ?? []) {
    const childKind = { '': TaskRun, TaskRun, CustomRun }[kind];
    if (!childKind) continue;
    const child = await client.getOrUndefined(childKind, keyOfMetadata({ ...run.metadata, name }));
    if (child && child.metadata.annotations?.[annotations.childReady] === undefined) return false;
  }
  return true;
}
