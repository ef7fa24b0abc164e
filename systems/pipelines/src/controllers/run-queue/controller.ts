import { mergePatch, ignoreNotFound } from '@tektite/client';
import {
  cached,
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import { PipelineRun as PipelineRunKind } from '../../kinds/kinds.ts';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import { isCompleted } from '../../conditions/succeeded-condition.ts';
import { groupOf } from '../../rules/concurrency.ts';
import { decideQueue } from './decide.ts';

/** The deletion of a run does not enqueue others: waiting runs are requeued. */
const patienceMs = 30_000;

const byGroup = (run: PipelineRun) => {
  const group = groupOf(run);
  return group === undefined ? [] : [`${run.metadata.namespace}/${group}`];
};

const runs = cached<PipelineRun>(PipelineRunKind, { indexes: { group: byGroup } });

/**
 * Lets only so many PipelineRuns of a group run at once, as their annotations say. They wait as Tekton's pending runs do, with
 * `spec.status: PipelineRunPending`, which the webhook sets when they are created; so this works with Tekton's own controller too.
 */
export function runQueueController(): ControllerDefinition {
  const queue = new RunQueue();
  return defineController<PipelineRun>({
    name: 'pipelinerun-queue',
    kind: PipelineRunKind,
    // Most runs are in no group, and cost nothing.
    predicate: ({ object }) => groupOf(object) !== undefined,
    sources: [runs],
    reconcile: (run, context) => queue.reconcile(run, context),
  });
}

class RunQueue {
  /** Started runs that the cache may still show as pending. */
  private readonly started = new Set<string>();
  /** One decision per group at a time: two would both see the last free place. */
  private readonly deciding = new Map<string, Promise<void>>();

  async reconcile(run: PipelineRun, context: ReconcileContext): Promise<Result | undefined> {
    const [group] = byGroup(run);
    if (group === undefined) return undefined;
    const { uid = '' } = run.metadata;
    if (run.spec.status !== 'PipelineRunPending') this.started.delete(uid);
    const before = this.deciding.get(group) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(() => this.advance(group, context));
    this.deciding.set(group, turn);
    try {
      await turn;
    } finally {
      if (this.deciding.get(group) === turn) this.deciding.delete(group);
    }
    const waits = run.spec.status === 'PipelineRunPending' && !isCompleted(run.status) && !this.started.has(uid);
    return waits ? requeueAfter(patienceMs) : undefined;
  }

  private async advance(group: string, context: ReconcileContext): Promise<void> {
    const members = context.cache(runs).byIndex('group', group);
    const { start, cancel } = decideQueue(members, this.started);
    for (const run of cancel) await this.setStatus(run, 'Cancelled', context);
    for (const run of start) {
      this.started.add(run.metadata.uid ?? '');
      try {
        await this.setStatus(run, null, context);
      } catch (error) {
        this.started.delete(run.metadata.uid ?? '');
        throw error;
      }
    }
  }

  /** Conditional on the observed run and its state. */
  private async setStatus(
    run: PipelineRun,
    status: string | null,
    { client, signal }: ReconcileContext,
  ): Promise<void> {
    const { namespace = '', name = '', resourceVersion, uid } = run.metadata;
    const patch = mergePatch({ metadata: { uid, resourceVersion }, spec: { status } });
    await client.patch(PipelineRunKind, { namespace, name }, patch, { signal }).catch(ignoreNotFound);
  }
}
