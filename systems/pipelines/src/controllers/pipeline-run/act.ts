import { mergePatch } from '@tektite/client';
import { equalJson, isStatusError } from '@tektite/meta';
import { succeededCondition } from '../../conditions/succeeded-condition.ts';
import { PipelineRun as PipelineRunKind } from '../../kinds/kinds.ts';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import { cleanUpVolumes } from './act/volumes.ts';
import type { PipelineRunPlan } from './decide/plan.ts';
import type { PipelineRunServices } from './observe/pipeline-run-services.ts';

/**
 * Performs a plan. Labels are written before the status: the metadata of the Pipeline is taken over only until its spec is in the
 * status.
 */
export async function act(plan: PipelineRunPlan, services: PipelineRunServices): Promise<void> {
  const { context, metrics, now, pipelines, completed } = services;
  await writeStatus(await writeMetadata(plan, services), plan, services);
  for (const event of plan.events) context.event(event);
  const condition = succeededCondition(plan.status);
  metrics?.reconciled(context.key, plan.run, condition);
  if (plan.isCompletion && condition) metrics?.completed(plan.run, plan.status, condition, now);
  if (!plan.isCompletion) return;
  pipelines.forget(plan.run);
  completed.forget(plan.run);
  await cleanUpVolumes({ ...plan.run, metadata: { ...plan.run.metadata, ...plan.metadata } }, services);
}

/** Returns the run with its new resourceVersion. */
async function writeMetadata(
  { run, metadata }: PipelineRunPlan,
  { context }: PipelineRunServices,
): Promise<PipelineRun> {
  if (!metadata) return run;
  const { namespace = '', name = '' } = run.metadata;
  const { metadata: written } = await context.client.patch(
    PipelineRunKind,
    { namespace, name },
    mergePatch({ metadata }),
    { signal: context.signal },
  );
  return { ...run, metadata: { ...run.metadata, resourceVersion: written.resourceVersion ?? '' } };
}

/** Children were created, so the status is written also if a user changed the spec meanwhile. A status of another writer is a conflict. */
async function writeStatus(
  target: PipelineRun,
  { status }: PipelineRunPlan,
  { context }: PipelineRunServices,
): Promise<void> {
  try {
    await context.writeStatus(target, status);
  } catch (error) {
    if (!isStatusError(error, 'Conflict')) throw error;
    const { namespace = '', name = '', uid } = target.metadata;
    const latest = await context.client.get(PipelineRunKind, { namespace, name }, { signal: context.signal });
    if (latest.metadata.uid !== uid || !equalJson(latest.status ?? {}, target.status ?? {})) throw error;
    await context.writeStatus(latest, status);
  }
}
