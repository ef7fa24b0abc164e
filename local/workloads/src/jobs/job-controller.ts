import { type Client, kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import {
  type ControllerDefinition,
  defineController,
  done,
  failed,
  mapped,
  type Result,
  requeueAfter,
} from '@tektite/controller';
import { formatTime, isStatusError, labelSelectorOf } from '@tektite/meta';
import type { Job, Pod } from '@tektite/schema/kubernetes';
import type { RecordEvent } from '../component-events.ts';
import { claim, sortClaims } from '../pods/claim.ts';
import { claimable, orphanIndex } from '../pods/orphan-index.ts';
import { slowStart } from '../pods/slow-start.ts';
import { type Backoff, type JobPlan, planJob } from './decide.ts';
import { decidedEnd, isFinished } from './job-conditions.ts';
import { failureCountAnnotation, finishedAt, limitsEachIndex } from './index-failures.ts';
import { jobPod, trackingFinalizer } from './job-pod.ts';
import { isTracked, type Tally } from './pod-tally.ts';
import { isAbandoned, jobKeysOf, trackedPodIndex, trackedPods } from './tracked-pods.ts';

const upstreamController = 'kubernetes.io/job-controller';

/**
 * Runs Jobs to their end. Every Pod that ends is counted once: it is noted in the status, then let go, then added to the
 * count, so that a crash between any two of these loses nothing and counts nothing twice.
 */
export function jobController(record: RecordEvent): ControllerDefinition {
  const pods = mapped(kinds.Pod, jobKeysOf, { indexes: { ...orphanIndex, ...trackedPodIndex } });
  const backoffs = new Map<string, Backoff & { readonly uid: string }>();
  return defineController({
    name: 'job',
    kind: kinds.Job,
    sources: [pods],
    concurrency: 8,
    async gone(key, { cache, client, namespace = '', name }) {
      backoffs.delete(key);
      const left = trackedPods(cache(pods), key);
      if (left.length === 0) return;
      const live = await client.getOrUndefined(kinds.Job, { namespace, name });
      await release(client, live ? left.filter((pod) => isAbandoned(live, pod)) : left);
    },
    async reconcile(job, { cache, client, clock, key, writeStatus }): Promise<Result> {
      if ((job.spec?.managedBy ?? upstreamController) !== upstreamController) return done;
      const abandoned = trackedPods(cache(pods), key).filter((pod) => isAbandoned(job, pod));
      await release(client, abandoned);
      if (isFinished(job.status ?? {}) || job.metadata.deletionTimestamp !== undefined) {
        await release(client, cache(pods).ownedBy(job));
        return done;
      }
      const selector = labelSelectorOf(job.spec?.selector);
      const claims = sortClaims(job, selector, claimable(cache(pods), job));
      const mine = await claim(client, kinds.Job, job, kinds.Pod, claims, { finalizer: trackingFinalizer });
      const milliseconds = clock.now();
      const { uid = '' } = job.metadata;
      const known = backoffs.get(key);
      const before: Backoff = known?.uid === uid ? known : { failures: 0, lastFailureAt: 0 };
      const backoffOf = (counts: Tally) => backoffAfter(before, counts, milliseconds);
      const plan = planJob(job, mine, backoffOf, { milliseconds, text: formatTime(milliseconds) });
      const failure = await changePods(client, job, plan, record);
      // A Pod that could not be made is not active.
      const status = failure ? { ...plan.status, ...activeAfter(plan, failure.succeeded) } : plan.status;
      await writeStatus(job, status);
      backoffs.set(key, { uid, ...backoffOf(plan.tally) });
      recordChanges(job, plan, status, record);
      await release(client, plan.release);
      if (failure) return failed(failure.error);
      return plan.wakeAt === undefined ? done : requeueAfter(Math.max(0, plan.wakeAt - milliseconds));
    },
  });
}

function backoffAfter(before: Backoff, { newlyFailed, newlySucceeded }: Tally, now: number): Backoff {
  if (newlyFailed.length + newlySucceeded.length === 0) return before;
  const ends = newlyFailed.map((pod) => finishedAt(pod) ?? now);
  return {
    failures: (newlySucceeded.length > 0 ? 0 : before.failures) + newlyFailed.length,
    lastFailureAt: Math.max(before.lastFailureAt, ...ends),
  };
}

interface ChangeFailure {
  readonly succeeded: number;
  readonly error: Error;
}

async function changePods(
  client: Client,
  job: Job,
  plan: JobPlan,
  record: RecordEvent,
): Promise<ChangeFailure | undefined> {
  await release(client, plan.withdraw);
  for (const pod of [...plan.withdraw, ...plan.stop]) await deletePod(client, job, pod, record);
  const { succeeded, failure } = await slowStart(plan.create.length, (index) =>
    createPod(client, job, plan, plan.create[index], record),
  );
  if (failure === undefined) return undefined;
  const error = failure instanceof Error ? failure : new Error(String(failure));
  if (isStatusError(error, 'Forbidden') && /being terminated/.test(error.message)) return undefined;
  return { succeeded, error };
}

function activeAfter({ status, create }: JobPlan, succeeded: number): { active?: number; ready: number } {
  const active = (status.active ?? 0) - create.length + succeeded;
  return { ready: Math.min(status.ready ?? 0, active), ...(active > 0 ? { active } : {}) };
}

async function createPod(
  client: Client,
  job: Job,
  { tally }: JobPlan,
  index: number | undefined,
  record: RecordEvent,
): Promise<void> {
  const failures = tally.indexFailures.get(index ?? -1)?.count ?? 0;
  const annotations: Record<string, string> = limitsEachIndex(job)
    ? { [failureCountAnnotation]: String(failures) }
    : {};
  try {
    const { metadata } = await client.create(kinds.Pod, jobPod(job, index, annotations));
    record(job, { reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
  } catch (error) {
    record(job, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${(error as Error).message}` });
    throw error;
  }
}

async function deletePod(client: Client, job: Job, { metadata }: Pod, record: RecordEvent): Promise<void> {
  const { namespace = '', name = '', uid } = metadata;
  const deletion = client.delete(kinds.Pod, { namespace, name }, uid ? { preconditions: { uid } } : {});
  if (await deletion.catch(ignoreNotFound))
    record(job, { reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
}

/** Lets Pods go. */
async function release(client: Client, pods: readonly Pod[]): Promise<void> {
  await Promise.all(
    pods.filter(isTracked).map(async ({ metadata }) => {
      const { namespace = '', name = '', uid, resourceVersion } = metadata;
      const finalizers = (metadata.finalizers ?? []).filter((each) => each !== trackingFinalizer);
      await client
        .patch(kinds.Pod, { namespace, name }, mergePatch({ metadata: { uid, resourceVersion, finalizers } }))
        .catch(ignoreNotFound);
    }),
  );
}

function recordChanges(job: Job, { end }: JobPlan, status: NonNullable<Job['status']>, record: RecordEvent): void {
  if (end?.type === 'failure' && !decidedEnd(job.status ?? {})) record(job, { type: 'Warning', ...text(end) });
  if (end?.type === 'success' && isFinished(status)) record(job, { reason: 'Completed', message: 'Job completed' });
  const suspension = (each: Job['status']) => each?.conditions?.find(({ type }) => type === 'Suspended')?.status;
  if (suspension(status) === suspension(job.status)) return;
  if (suspension(status) === 'True') record(job, { reason: 'Suspended', message: 'Job suspended' });
  else record(job, { reason: 'Resumed', message: 'Job resumed' });
}

function text({ reason, message }: { readonly reason: string; readonly message: string }) {
  return { reason, message };
}
