import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import type { Pod, PodStatus } from '@tektite/schema/kubernetes';
import type { RunningContainer } from '../runtime/pod-runtime.ts';
import { ownConditions } from '../status/pod-conditions.ts';
import { podStatus } from '../status/pod-status.ts';
import { StatusWriter } from '../status/status-writer.ts';
import { exceededLimit, hasSizeLimits } from '../volumes/size-limit.ts';
import type { AgentParts } from './agent-parts.ts';
import { ownerOf, podReference } from './container-launcher.ts';
import { decide, hasCompleted, type PodAction, type PodView } from './decide.ts';
import type { PodRejection } from './node-allocations.ts';
import { PodContainers } from './pod-containers.ts';
import { podSandbox } from './pod-sandbox.ts';
import { PodResize } from './pod-resize.ts';
import { forbiddenSysctl } from './sysctls.ts';
import { PodSetup } from './pod-setup.ts';

const errorRetryMs = 1000;
const resizeRetryMs = 10_000;
const sizePeriodMs = 10_000;

/**
 * Runs one Pod, from its binding to this node until its deletion from the API. All steps run one after the other:
 * observe, decide, act, report. Every observer calls `wake`.
 */
export class PodWorker {
  private readonly parts: AgentParts;
  private readonly setup: PodSetup;
  private readonly containers: PodContainers;
  private readonly resize: PodResize;
  private readonly writer: StatusWriter;
  private readonly startedAt: number;
  /** As the API has it. */
  private latest: Pod;
  /** With the resources that its containers have been allocated. */
  private pod: Pod;
  /** The last written status. */
  private status: PodStatus | undefined;
  /** Why this node does not run it. */
  private readonly rejection: PodRejection | undefined;
  private failure: { readonly reason: string; readonly message: string } | undefined;
  private endingSince: number | undefined;
  private sizesLookedAt = Number.NEGATIVE_INFINITY;
  private finished = false;
  private gone = false;
  private closed = false;
  private dirty = false;
  private loop: Promise<void> | undefined;
  private timer: Disposable | undefined;
  private timerDue = Number.POSITIVE_INFINITY;
  private publishing: Disposable | undefined;

  constructor(pod: Pod, parts: AgentParts) {
    this.parts = parts;
    this.resize = new PodResize(pod, parts, () => this.update(this.latest));
    this.latest = pod;
    this.rejection = isNew(pod) ? parts.allocations.rejection(pod) : undefined;
    this.pod = this.rejection ? pod : this.resize.accept(pod);
    const directory = join(parts.podsDirectory, pod.metadata.uid ?? '');
    this.setup = new PodSetup(podSandbox(pod, directory, parts.dns), parts);
    this.containers = new PodContainers(this.pod, this.setup, parts, () => this.containersChanged());
    this.writer = new StatusWriter(parts.client, (error) => this.failed(error));
    this.startedAt = pod.status?.startTime ? Date.parse(pod.status.startTime) : parts.clock.now();
  }

  /** The API has a newer one. */
  update(pod: Pod): void {
    this.latest = pod;
    this.pod = this.rejection ? pod : this.resize.accept(pod);
    this.setup.update(pod);
    this.containers.update(this.pod);
    this.wake();
  }

  /** The API has it no more. Ends what is left, and removes everything. */
  async remove(): Promise<void> {
    this.gone = true;
    this.resize.release();
    this.containers.cancelStart();
    this.wake();
    while (this.loop) await this.loop;
  }

  /** Stops working, without ending the containers. */
  async close(): Promise<void> {
    this.closed = true;
    this.timer?.[Symbol.dispose]();
    this.publishing?.[Symbol.dispose]();
    this.containers.close();
    await this.setup.close();
    await this.loop;
    await this.writer.settled();
  }

  /** A change was observed: run the loop again. */
  wake(): void {
    this.dirty = true;
    this.loop ??= this.run().finally(() => {
      this.loop = undefined;
    });
  }

  /** A container that runs now. */
  container(name: string): RunningContainer | undefined {
    return this.containers.find(name);
  }

  /** The Pod, with the containers that run now. */
  running(): { readonly pod: Pod; readonly containers: ReadonlyMap<string, RunningContainer> } {
    return { pod: this.pod, containers: this.containers.all };
  }

  /** Whether a container runs now. */
  get isRunning(): boolean {
    return this.containers.isRunning;
  }

  /** How often the container was started before its newest run; -1 when it never ran. */
  attempt(name: string): number {
    return this.containers.attempt(name);
  }

  private async run(): Promise<void> {
    while (this.dirty && !this.closed) {
      this.dirty = false;
      try {
        if (this.gone) await this.discard();
        else await this.step();
      } catch (error) {
        this.failed(error as Error);
      }
    }
  }

  private containersChanged(): void {
    // A step may be waiting for a hook; what is known by now shall be seen all the same.
    if (this.loop && !this.finished && !this.gone) this.publish();
    this.wake();
  }

  private failed(error: Error): void {
    if (this.closed) return;
    this.parts.onError(error);
    this.wakeAt(this.parts.clock.now() + errorRetryMs);
  }

  private wakeAt(time: number): void {
    if (time >= this.timerDue || this.closed) return;
    this.timer?.[Symbol.dispose]();
    this.timerDue = time;
    this.timer = this.parts.clock.setTimer(Math.max(0, time - this.parts.clock.now()), () => {
      this.timerDue = Number.POSITIVE_INFINITY;
      this.wake();
    });
  }

  private async step(): Promise<void> {
    if (this.finished) {
      await this.deleteIfAsked();
      return;
    }
    this.checkAdmission();
    this.checkDeadline();
    await this.checkSizes();
    const actions = decide(this.view());
    if (this.status === undefined && !this.parts.runtime.startsAtOnce) this.publish();
    for (const action of actions) await this.perform(action);
    this.resize.settle(this.pod, this.containers.records);
    if (!this.finished) this.publish();
  }

  private view(): PodView {
    const { phase } = this.pod.status ?? {};
    const over = phase === 'Succeeded' || phase === 'Failed';
    const ending = this.pod.metadata.deletionTimestamp !== undefined || this.failure !== undefined || over;
    return { pod: this.pod, records: this.containers.records, now: this.parts.clock.now(), ending };
  }

  private async perform(action: PodAction): Promise<void> {
    const { containers } = this;
    switch (action.type) {
      case 'start':
        await this.start(action.name);
        return;
      case 'stop':
        containers.stop(containers.entry(action.name), action.message, { probe: action.probe });
        return;
      case 'replace':
        containers.replace(containers.entry(action.name), action.message);
        return;
      case 'resize':
        if (!containers.resize(containers.entry(action.name))) this.wakeAt(this.parts.clock.now() + resizeRetryMs);
        return;
      case 'backOff':
        containers.backOff(containers.entry(action.name));
        this.wakeAt(action.until);
        return;
      case 'wait':
        this.wakeAt(action.until);
        return;
      case 'stopAll':
        this.endingSince ??= this.parts.clock.now();
        containers.stopAll(this.endingSince);
        return;
      case 'finish':
        await this.finish();
    }
  }

  private async start(name: string): Promise<void> {
    // The decision may be outdated by now: starts take a while.
    if (this.view().ending || this.gone || this.closed) return;
    const { retryAt } = await this.setup.prepare(this.pod);
    if (retryAt === undefined) await this.containers.start(this.containers.entry(name));
    else this.wakeAt(retryAt);
  }

  /** Fails the Pod when this node does not admit it. */
  private checkAdmission(): void {
    if (this.failure || this.status !== undefined || this.pod.metadata.deletionTimestamp) return;
    const sysctl = forbiddenSysctl(this.pod);
    const rejection = this.rejection ?? (sysctl && { reason: 'SysctlForbidden', message: sysctl });
    if (!rejection) return;
    const { reason, message } = rejection;
    this.failure = { reason, message: `Pod was rejected: ${message}` };
    this.resize.release();
    this.parts.events.event(podReference(this.pod), { type: 'Warning', reason, message });
  }

  /** The Pod's own limit of time. */
  private checkDeadline(): void {
    const seconds = this.pod.spec?.activeDeadlineSeconds;
    if (seconds === undefined || this.failure || hasCompleted(this.view())) return;
    const deadline = this.startedAt + seconds * 1000;
    if (this.parts.clock.now() < deadline) {
      this.wakeAt(deadline);
      return;
    }
    const message = 'Pod was active on the node longer than the specified deadline';
    this.failure = { reason: 'DeadlineExceeded', message };
    this.parts.events.event(podReference(this.pod), { type: 'Normal', reason: 'DeadlineExceeded', message });
  }

  /** The size limits of its volumes are checked periodically: a Pod that exceeds one is evicted. */
  private async checkSizes(): Promise<void> {
    const { clock, runtime, events } = this.parts;
    if (this.failure || !this.setup.ready || !runtime.usesFiles || !hasSizeLimits(this.pod)) return;
    const now = clock.now();
    if (now < this.sizesLookedAt + sizePeriodMs) {
      this.wakeAt(this.sizesLookedAt + sizePeriodMs);
      return;
    }
    this.sizesLookedAt = now;
    this.wakeAt(now + sizePeriodMs);
    const message = await exceededLimit(this.pod, this.setup.volumes);
    if (message === undefined) return;
    this.failure = { reason: 'Evicted', message };
    events.event(podReference(this.pod), { type: 'Warning', reason: 'Evicted', message });
  }

  private async finish(): Promise<void> {
    this.containers.markLost();
    // A client that observes the end may have another Pod take the place of this one at once.
    this.resize.release();
    // A failure is reported in two steps, as kubelets do: how the containers ended, then that the Pod has failed. A
    // controller that watches some of the containers only may decide on the first.
    if (this.containers.hasFailures) {
      this.publishNow();
      await this.writer.settled();
    }
    this.publishNow(true);
    if (!(await this.writer.settled())) return;
    this.finished = true;
    this.timer?.[Symbol.dispose]();
    await this.setup.remove();
    await this.deleteIfAsked();
  }

  private async deleteIfAsked(): Promise<void> {
    const { name = '', namespace = '', uid = '', deletionTimestamp } = this.pod.metadata;
    if (!deletionTimestamp) return;
    try {
      await this.parts.client.delete(kinds.Pod, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error;
    }
  }

  /** Logs stay until the Pod is deleted. */
  private async discard(): Promise<void> {
    await this.containers.kill();
    this.timer?.[Symbol.dispose]();
    this.closed = true;
    this.publishing?.[Symbol.dispose]();
    await this.setup.remove();
    await this.parts.logs.remove(ownerOf(this.pod));
  }

  /**
   * Where starts take no time, a state that ends within one turn of the timers is not reported. And a container that is
   * replaced is not shown as ended meanwhile: kubelets report it only afterwards, and where the policy is `Never` the
   * API would reject that it runs again.
   */
  private publish(): void {
    if (this.isReplacing) return;
    if (!this.parts.runtime.startsAtOnce) this.publishNow();
    else this.publishing ??= this.parts.clock.setTimer(0, () => this.publishLater());
  }

  /** The container may have ended since the timer was set. Its next start publishes again. */
  private publishLater(): void {
    this.publishing = undefined;
    if (!this.isReplacing) this.publishNow();
  }

  private get isReplacing(): boolean {
    return this.containers.isReplacing && !this.view().ending;
  }

  private publishNow(ending = false): void {
    this.publishing?.[Symbol.dispose]();
    this.publishing = undefined;
    if (this.finished || this.gone || this.wasEndedByOthers()) return;
    const { environment, clock } = this.parts;
    const status = podStatus({
      pod: this.known(),
      records: this.containers.records,
      now: clock.now(),
      startedAt: this.startedAt,
      hostIPs: environment.hostIPs,
      podIPs: this.setup.podIPs(this.pod),
      sandboxReady: this.setup.ready && !ending,
      ending,
      resize: this.resize.conditions(this.pod, this.containers.records),
      ...(this.failure ? { failure: this.failure } : {}),
    });
    this.status = status;
    this.writer.put(this.pod, status);
  }

  /** A terminal phase that another component wrote, such as an eviction, is final. */
  private wasEndedByOthers(): boolean {
    const isOver = (phase: string | undefined) => phase === 'Succeeded' || phase === 'Failed';
    return isOver(this.pod.status?.phase) && this.status !== undefined && !isOver(this.status.phase);
  }

  /** The Pod with our last status, which the watch may not have delivered yet. */
  private known(): Pod {
    const { pod, status } = this;
    if (!status) return pod;
    const others = (pod.status?.conditions ?? []).filter(({ type }) => !ownConditions.has(type));
    const conditions = [...others, ...(status.conditions ?? []).filter(({ type }) => ownConditions.has(type))];
    const over = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    return { ...pod, status: { ...status, conditions, ...(over ? { phase: pod.status?.phase } : {}) } };
  }
}

/** One that this node, or one before it, has not taken yet. */
function isNew({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && (status?.phase ?? 'Pending') === 'Pending' && !status?.startTime;
}
