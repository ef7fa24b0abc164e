import { jsonPatch, kinds, mergePatch } from '@tektite/client';
import {
  type ControllerDefinition,
  defineController,
  owned,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import { equalJson, isStatusError } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { FeatureFlags } from '../config/feature-flags.ts';
import { flagsForProvenance } from '../config/feature-flags.ts';
import { TaskRun as TaskRunKind } from '../kinds/kinds.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import type { TaskRunStatus } from '../kinds/task-run-spec.ts';
import { resultsSidecar, sidecarContainer } from '../pod/container-names.ts';
import type { PodImages } from '../pod/pod-images.ts';
import { claimsOf, withClaims } from '../workspace/claim-templates.ts';
import { conditionEvent } from './condition-event.ts';
import { createPod } from './create-pod.ts';
import { endedStatus, previousStatus, retriedStatus } from './end.ts';
import {
  isCancelled,
  isDone,
  isOurs,
  isPending,
  started,
  succeededCondition,
  timeLeft,
  timeoutOf,
  withOutcome,
} from './life.ts';
import { prepareTask } from './prepare.ts';
import { resolveSteps, resolveTask } from './resolve-task.ts';
import { labelled } from './run-labels.ts';
import { RunFailure, RunWaits } from './run-failure.ts';
import { statusFromPod } from './status-from-pod.ts';
import { areSidecarsReady, currentPod, sidecarsToStop } from './task-run-pod.ts';
import { replaceTaskVariables } from './task-variables.ts';

export interface TaskRunOptions {
  readonly flags: () => FeatureFlags;
  readonly images: PodImages;
  readonly release: string;
}

const pods = owned(kinds.Pod, { labelSelector: 'app.kubernetes.io/managed-by' });

/** Runs TaskRuns: a Pod for each attempt, and a status that tells how it goes. */
export function taskRunController(options: TaskRunOptions): ControllerDefinition {
  return defineController<TaskRun>({
    name: 'taskrun',
    kind: TaskRunKind,
    sources: [pods],
    reconcile: (taskRun, context) => (isOurs(taskRun) ? new TaskRunWork(taskRun, context, options).run() : undefined),
  });
}

/** One look at one TaskRun, in the order in which Tekton looks. */
class TaskRunWork {
  /** With the labels and annotations that it is to have. */
  private taskRun: TaskRun;
  private readonly original: TaskRun;
  private readonly context: ReconcileContext;
  private readonly options: TaskRunOptions;
  private readonly now: number;
  private readonly flags: FeatureFlags;
  private status: TaskRunStatus;

  constructor(taskRun: TaskRun, context: ReconcileContext, options: TaskRunOptions) {
    this.taskRun = taskRun;
    this.original = taskRun;
    this.context = context;
    this.options = options;
    this.now = context.clock.now();
    this.flags = options.flags();
    this.status = taskRun.status ?? { podName: '' };
  }

  async run(): Promise<Result | undefined> {
    if (isDone(this.status)) {
      await this.stopSidecars();
      return undefined;
    }
    if (!isPending(this.taskRun)) this.status = started(this.taskRun, this.now);
    let waitMs: number | undefined;
    try {
      await this.advance();
    } catch (error) {
      waitMs = this.explain(error);
    }
    this.status = retriedStatus(this.taskRun, this.status, this.now) ?? this.status;
    await this.write();
    const left = timeLeft(this.taskRun, this.status, this.now);
    const next = Math.min(waitMs ?? Infinity, left ?? Infinity);
    return Number.isFinite(next) && !isDone(this.status) ? requeueAfter(Math.max(0, next)) : undefined;
  }

  /** Cancelled, pending, out of time; otherwise on with it. */
  private async advance(): Promise<void> {
    const { name = '' } = this.taskRun.metadata;
    if (isCancelled(this.taskRun)) {
      const words = `TaskRun "${name}" was cancelled. ${this.taskRun.spec.statusMessage ?? ''}`;
      return this.end('TaskRunCancelled', words + previousStatus(this.status));
    }
    if (isPending(this.taskRun)) {
      this.status = withOutcome(
        this.status,
        { status: 'Unknown', reason: 'TaskRunPending', message: `TaskRun "${name}" is pending` },
        this.now,
      );
      return;
    }
    if ((timeLeft(this.taskRun, this.status, this.now) ?? 1) <= 0) {
      const pod = this.pod();
      if (pod)
        this.status = {
          ...this.status,
          steps: statusFromPod(this.status, pod, this.flags, false, this.now).steps ?? [],
        };
      const limit = this.taskRun.spec.timeout ?? `${timeoutOf(this.taskRun)}ms`;
      return this.end(
        'TaskRunTimeout',
        `TaskRun "${name}" failed to finish within "${limit}"${previousStatus(this.status)}`,
      );
    }
    await this.reconcilePod();
  }

  private async reconcilePod(): Promise<void> {
    const { client, signal } = this.context;
    const { namespace = '' } = this.taskRun.metadata;
    const resolved = await resolveTask({ ...this.taskRun, status: this.status }, client, signal);
    const withSteps = await resolveSteps(resolved.spec, namespace, client, signal);
    this.taskRun = labelled(this.taskRun, resolved, this.options.release);
    this.remember(withSteps.steps?.map(({ name }) => name));
    this.status = { ...this.status, taskSpec: this.status.taskSpec ?? withSteps };
    const prepared = prepareTask(withSteps, this.taskRun, resolved.name, this.flags);
    await this.createClaims();
    const bound = this.withClaims();
    const task = replaceTaskVariables(prepared, { ...bound, status: this.status }, resolved.name);
    this.status = { ...this.status, taskSpec: task };
    const pod = this.pod() ?? (await this.create(task));
    this.status = { ...this.status, podName: pod.metadata.name ?? '' };
    await this.tellReady(pod);
    const ignoresFailure =
      this.taskRun.metadata.annotations?.['pipeline.tekton.dev/pipeline-task-on-error'] === 'continue';
    this.status = statusFromPod(this.status, pod, this.flags, ignoresFailure, this.now);
  }

  /** What the status knows before there is a Pod: how the controller was set, and what steps there will be. */
  private remember(stepNames: readonly (string | undefined)[] = []): void {
    if (!this.flags.enableProvenanceInStatus) return;
    const steps = this.status.steps ?? stepNames.map((name) => ({ ...(name ? { name } : {}), provenance: {} }));
    this.status = {
      ...this.status,
      provenance: { ...this.status.provenance, featureFlags: flagsForProvenance(this.flags) },
      steps,
    };
  }

  private create(task: NonNullable<TaskRunStatus['taskSpec']>): Promise<Pod> {
    const { images, release } = this.options;
    return createPod({ ...this.withClaims(), status: this.status }, task, this.context, {
      flags: this.flags,
      images,
      release,
      managedBy: 'tekton-pipelines',
      sidecarLogPollingInterval: '100ms',
      forbiddenEnv: [],
    });
  }

  /** The run with its claims in the place of their templates. */
  private withClaims(): TaskRun {
    const { workspaces } = this.taskRun.spec;
    if (!workspaces) return this.taskRun;
    return { ...this.taskRun, spec: { ...this.taskRun.spec, workspaces: withClaims(workspaces, this.taskRun) } };
  }

  private async createClaims(): Promise<void> {
    if (this.pod()) return;
    const { client, signal } = this.context;
    for (const claim of claimsOf(this.taskRun.spec.workspaces ?? [], this.taskRun)) {
      try {
        await client.create(kinds.PersistentVolumeClaim, claim, { signal });
      } catch (error) {
        if (isStatusError(error, 'AlreadyExists')) continue;
        if (!isStatusError(error) || error.code >= 500) throw error;
        const { name = '' } = this.taskRun.metadata;
        throw new RunFailure(
          'CouldntCreateWorkspacePVC',
          `failed to create PVC for TaskRun ${name} workspaces correctly: ${error.message}`,
        );
      }
    }
  }

  private pod(): Pod | undefined {
    return currentPod(this.status, this.context.cache(pods).ownedBy(this.taskRun));
  }

  /** The first step waits for this word. */
  private async tellReady(pod: Pod): Promise<void> {
    if (pod.metadata.annotations?.['tekton.dev/ready'] || !areSidecarsReady(pod)) return;
    const key = { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name ?? '' };
    const patch = mergePatch({ metadata: { annotations: { 'tekton.dev/ready': 'READY' } } });
    await this.context.client.patch(kinds.Pod, key, patch, { signal: this.context.signal });
  }

  private async end(reason: string, message: string): Promise<void> {
    const pod = this.pod();
    this.status = endedStatus(this.taskRun, this.status, { reason, message }, this.now);
    if (!pod) return;
    const key = { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name ?? '' };
    const { client, signal } = this.context;
    if (this.flags.enableKeepPodOnCancel) {
      await client.patch(kinds.Pod, key, mergePatch({ metadata: { annotations: { 'tekton.dev/cancel': 'CANCEL' } } }), {
        signal,
      });
      return;
    }
    await client.delete(kinds.Pod, key, { signal }).catch((error: unknown) => {
      if (!isStatusError(error, 'NotFound')) throw error;
    });
  }

  /** What went wrong becomes the condition. Returns how soon to look again. Throws what may go by itself. */
  private explain(error: unknown): number | undefined {
    if (error instanceof RunWaits) {
      this.status = withOutcome(
        this.status,
        { status: 'Unknown', reason: error.reason, message: error.message },
        this.now,
      );
      return error.retryMs;
    }
    if (!(error instanceof RunFailure)) throw error;
    this.status = endedStatus(this.taskRun, this.status, error, this.now);
    return undefined;
  }

  /** Sidecars never end by themselves. Their containers get an image whose program ends at once. */
  private async stopSidecars(): Promise<void> {
    const reason = succeededCondition(this.status)?.reason;
    if (this.flags.enableKubernetesSidecar || reason === 'TaskRunCancelled' || reason === 'TaskRunTimeout') return;
    const pod = this.pod();
    const except = new Set(
      this.flags.resultExtractionMethod === 'sidecar-logs' ? [sidecarContainer(resultsSidecar)] : [],
    );
    const places = pod
      ? sidecarsToStop(pod, except).filter((place) => pod.spec?.containers?.[place]?.image !== this.options.images.nop)
      : [];
    if (!pod || places.length === 0) return;
    const patch = places.map((place) => ({
      op: 'replace' as const,
      path: `/spec/containers/${place}/image`,
      value: this.options.images.nop,
    }));
    const key = { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name ?? '' };
    await this.context.client.patch(kinds.Pod, key, jsonPatch(patch), { signal: this.context.signal });
  }

  private async write(): Promise<void> {
    if (!equalJson(this.original.status, this.status)) {
      await this.context.writeStatus(this.original, this.status);
      const event = conditionEvent(succeededCondition(this.original.status), succeededCondition(this.status));
      if (event) this.context.event(event);
    }
    await this.writeMetadata();
  }

  /** Apart from the status, as it is not part of it. Who writes something else at the same time keeps it. */
  private async writeMetadata(): Promise<void> {
    const { labels, annotations } = this.taskRun.metadata;
    const { name = '', namespace = '' } = this.original.metadata;
    if (equalJson(labels, this.original.metadata.labels) && equalJson(annotations, this.original.metadata.annotations))
      return;
    const patch = mergePatch({ metadata: { labels, annotations } });
    await this.context.client.patch(TaskRunKind, { namespace, name }, patch, { signal: this.context.signal });
  }
}
