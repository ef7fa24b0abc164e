import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import type { Pod, PodStatus } from '@tektite/schema/kubernetes';
import { ContainerProber } from '../probes/container-prober.ts';
import { isContainerStartError } from '../runtime/container-start-error.ts';
import type { PodSandbox, RunningContainer } from '../runtime/pod-runtime.ts';
import { ownConditions } from '../status/pod-conditions.ts';
import { podStatus } from '../status/pod-status.ts';
import { StatusWriter } from '../status/status-writer.ts';
import { type PreparedVolume, VolumeError } from '../volumes/pod-volumes.ts';
import type { AgentParts } from './agent-parts.ts';
import { ContainerLauncher, containerReference, ownerOf, podReference } from './container-launcher.ts';
import {
  type ContainerEntry,
  type ContainerRecord,
  containersOf,
  isRunning,
  newRecord,
  podName,
} from './container-record.ts';
import { ContainerStop } from './container-stop.ts';
import { decide, hasCompleted, type PodAction, type PodView } from './decide.ts';
import { runHook } from './lifecycle-hook.ts';
import { podSandbox } from './pod-sandbox.ts';
import { backOffText, nextBackOff, shouldRestart } from './restart-policy.ts';
import { lostTermination, restoreRecords } from './restore-records.ts';
import { VolumeFollower } from './volume-follower.ts';

/** How long to wait before something that failed for lack of something is tried again. */
const retryMs = 10_000;
const volumeRetryMs = [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 122_000];
const errorRetryMs = 1000;

/**
 * Runs one Pod, from the moment it is this node's until it is gone from the API. All steps are taken one after the other:
 * look, decide, act, report. Whoever learns something calls `wake`.
 */
export class PodWorker {
  private readonly parts: AgentParts;
  private readonly launcher: ContainerLauncher;
  private readonly writer: StatusWriter;
  private readonly sandbox: PodSandbox;
  private readonly startedAt: number;
  private readonly records: Map<string, ContainerRecord>;
  private readonly running = new Map<string, RunningContainer>();
  private readonly probers = new Map<string, ContainerProber>();
  private readonly stops = new Map<string, ContainerStop>();
  private pod: Pod;
  private status: PodStatus | undefined;
  private volumes: Map<string, PreparedVolume> | undefined;
  private follower: VolumeFollower | undefined;
  private volumeFailures = 0;
  private volumeRetryAt = 0;
  private sandboxReady = false;
  private failure: { reason: string; message: string } | undefined;
  private endingSince: number | undefined;
  private finished = false;
  private gone = false;
  private closed = false;
  private dirty = false;
  private loop: Promise<void> | undefined;
  private timer: Disposable | undefined;
  private timerDue = Number.POSITIVE_INFINITY;

  constructor(pod: Pod, parts: AgentParts) {
    this.pod = pod;
    this.parts = parts;
    this.launcher = new ContainerLauncher(parts);
    this.writer = new StatusWriter(parts.client, (error) => this.failed(error));
    this.sandbox = podSandbox(pod, join(parts.podsDirectory, pod.metadata.uid ?? ''));
    this.startedAt = pod.status?.startTime ? Date.parse(pod.status.startTime) : parts.clock.now();
    this.records = restoreRecords(pod);
  }

  /** The API has a newer one. */
  update(pod: Pod): void {
    this.pod = pod;
    this.follower?.update(pod);
    this.wake();
  }

  /** The API has it no more. Ends what is left, and removes everything. */
  remove(): Promise<void> {
    this.gone = true;
    this.wake();
    return this.idle();
  }

  /** Stops working, without ending the containers. */
  async close(): Promise<void> {
    this.closed = true;
    this.timer?.[Symbol.dispose]();
    for (const prober of this.probers.values()) prober[Symbol.dispose]();
    this.follower?.[Symbol.dispose]();
    await this.follower?.settled();
    await this.loop;
    await this.writer.settled();
  }

  /** Something is different: look again. */
  wake(): void {
    this.dirty = true;
    this.loop ??= this.run().finally(() => {
      this.loop = undefined;
    });
  }

  container(name: string): RunningContainer | undefined {
    return this.running.get(name);
  }

  /** How often the container was started before its newest run; -1 when it never ran. */
  attempt(name: string): number {
    const record = this.records.get(name);
    return record?.instance ? record.restartCount : record?.lastTermination ? record.restartCount - 1 : -1;
  }

  private async idle(): Promise<void> {
    while (this.loop) await this.loop;
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
    this.checkDeadline();
    const view = this.view();
    const actions = decide(view);
    const first = this.status === undefined;
    if (first) this.publish();
    for (const action of actions) await this.perform(action);
    if (!this.finished) this.publish();
  }

  private view(): PodView {
    const phase = this.pod.status?.phase;
    const over = phase === 'Succeeded' || phase === 'Failed';
    const ending = this.pod.metadata.deletionTimestamp !== undefined || this.failure !== undefined || over;
    return { pod: this.pod, records: this.records, now: this.parts.clock.now(), ending };
  }

  private async perform(action: PodAction): Promise<void> {
    switch (action.type) {
      case 'start':
        await this.start(this.entry(action.name));
        return;
      case 'stop':
        this.stop(this.entry(action.name), action.message, action.probe);
        return;
      case 'backOff':
        this.backOff(this.entry(action.name), action.until);
        return;
      case 'wait':
        this.wakeAt(action.until);
        return;
      case 'stopAll':
        this.stopAll();
        return;
      case 'finish':
        await this.finish();
    }
  }

  private entry(name: string): ContainerEntry {
    const found = containersOf(this.pod).find(({ container }) => container.name === name);
    if (!found) throw new Error(`Pod ${podName(this.pod)} has no container ${name}`);
    return found;
  }

  private record(entry: ContainerEntry): ContainerRecord {
    return this.records.get(entry.container.name) ?? newRecord(entry);
  }

  private set(record: ContainerRecord): void {
    this.records.set(record.name, record);
  }

  // Starting

  private async start(entry: ContainerEntry): Promise<void> {
    // What was true when this was decided may not be any more: starts take a while.
    if (this.view().ending || this.gone || !(await this.ready())) return;
    const { container, role } = entry;
    const before = this.record(entry);
    const { waiting: _, retryAt: __, instance, ...rest } = before;
    const attempt = instance ? before.restartCount + 1 : before.restartCount;
    const { clock } = this.parts;
    const termination = instance?.termination;
    const backOff = termination
      ? nextBackOff(before.backOff, termination.finishedAt ?? 0, clock.now())
      : before.backOff;
    const next: ContainerRecord = {
      ...rest,
      restartCount: attempt,
      stopping: false,
      ...(termination ? { lastTermination: termination } : {}),
      ...(backOff ? { backOff } : {}),
    };
    const volumes = this.volumes ?? new Map<string, PreparedVolume>();
    try {
      const launched = await this.launcher.launch({
        pod: this.pod,
        container,
        role,
        attempt,
        sandbox: this.sandbox,
        volumes,
      });
      const { running, containerID } = launched;
      const { imageID, startedAt, user } = running;
      const held = container.lifecycle?.postStart !== undefined || container.startupProbe !== undefined;
      const started = {
        containerID,
        imageID,
        startedAt,
        ...(user ? { user } : {}),
        started: !held,
        ready: !held && !container.readinessProbe,
      };
      this.set({ ...next, instance: started });
      this.running.set(container.name, running);
      void launched.ended.then((end) => {
        const current = this.record(entry);
        this.running.delete(container.name);
        this.stops.delete(container.name);
        this.probers.get(container.name)?.[Symbol.dispose]();
        this.probers.delete(container.name);
        if (current.instance)
          this.set({
            ...current,
            stopping: false,
            instance: { ...current.instance, ready: false, started: false, termination: end },
          });
        this.wake();
      });
      await this.afterStart(entry, running);
    } catch (error) {
      this.startFailed(entry, before, next, error);
    }
  }

  private startFailed(entry: ContainerEntry, before: ContainerRecord, next: ContainerRecord, error: unknown): void {
    if (!isContainerStartError(error)) throw error;
    const now = this.parts.clock.now();
    const waiting = { reason: error.reason, message: error.message };
    if (error.reason !== 'RunContainerError') {
      this.set({ ...before, waiting, retryAt: now + retryMs });
      this.wakeAt(now + retryMs);
      return;
    }
    const termination = { exitCode: 128, reason: 'StartError', message: error.message, startedAt: 0, finishedAt: now };
    const again = shouldRestart(this.pod, entry.container, entry.role, 128);
    this.set({
      ...next,
      instance: { imageID: '', started: false, ready: false, termination },
      ...(again ? { waiting, retryAt: now + retryMs } : {}),
    });
    this.wakeAt(now + retryMs);
    this.wake();
  }

  /** The hook of the container, and then its probes. */
  private async afterStart(entry: ContainerEntry, running: RunningContainer): Promise<void> {
    const { container } = entry;
    const postStart = container.lifecycle?.postStart;
    if (postStart) {
      this.publish();
      const ended = running.exited.then(() => 'ended');
      const failed = await Promise.race([
        runHook(postStart, this.pod, container, running, this.podIP, this.parts.clock).then(
          () => undefined,
          (error: Error) => error,
        ),
        ended,
      ]);
      if (failed === 'ended') return;
      if (failed instanceof Error) {
        this.tell(entry, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
        this.stop(entry, 'FailedPostStartHook');
        return;
      }
    }
    const current = this.record(entry);
    if (!current.instance || current.instance.termination) return;
    const started = !container.startupProbe;
    this.set({ ...current, instance: { ...current.instance, started, ready: started && !container.readinessProbe } });
    if (container.startupProbe ?? container.readinessProbe ?? container.livenessProbe) this.probe(entry, running);
    this.wake();
  }

  private get podIP(): string {
    return this.parts.environment.podIPs[0] ?? '127.0.0.1';
  }

  private probe(entry: ContainerEntry, running: RunningContainer): void {
    const { container } = entry;
    const change = (fields: object) => {
      const record = this.record(entry);
      if (this.running.get(container.name) !== running || !record.instance) return;
      this.set({ ...record, instance: { ...record.instance, ...fields } });
      this.wake();
    };
    const prober = new ContainerProber({
      container,
      running,
      podIP: this.podIP,
      clock: this.parts.clock,
      onFailure: (_, message) => this.tell(entry, 'Warning', 'Unhealthy', message),
      onVerdict: (kind, success) => {
        if (kind === 'readiness') change({ ready: success });
        else if (!success) change({ unhealthy: kind });
        else if (kind === 'startup') change({ started: true, ready: !container.readinessProbe });
      },
    });
    this.probers.set(container.name, prober);
  }

  /** Whether the Pod's volumes and its sandbox are there. */
  private async ready(): Promise<boolean> {
    const { parts, sandbox } = this;
    if (this.volumes && this.sandboxReady) return true;
    const now = parts.clock.now();
    if (now < this.volumeRetryAt) {
      this.wakeAt(this.volumeRetryAt);
      return false;
    }
    if (parts.runtime.usesFiles) await mkdir(sandbox.directory, { recursive: true, mode: 0o750 });
    try {
      this.volumes ??= await parts.volumes.prepare(this.pod, sandbox.directory, {
        ...parts.environment,
        tokens: parts.tokens,
      });
    } catch (error) {
      if (!(error instanceof VolumeError)) throw error;
      parts.events.event(podReference(this.pod), { type: 'Warning', reason: 'FailedMount', message: error.message });
      this.volumeRetryAt = now + (volumeRetryMs[Math.min(this.volumeFailures++, volumeRetryMs.length - 1)] as number);
      this.wakeAt(this.volumeRetryAt);
      return false;
    }
    await parts.runtime.createSandbox(sandbox);
    this.sandboxReady = true;
    if (parts.runtime.usesFiles) this.follower ??= new VolumeFollower(this.pod, sandbox.directory, parts);
    return true;
  }

  private backOff(entry: ContainerEntry, until: number): void {
    this.wakeAt(until);
    const record = this.record(entry);
    const delay = backOffText(record.backOff?.delayMs ?? 0);
    const message = `back-off ${delay} restarting failed container=${record.name} pod=${podName(this.pod)}`;
    if (record.waiting?.message === message) return;
    this.set({ ...record, waiting: { reason: 'CrashLoopBackOff', message } });
    this.tell(
      entry,
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${record.name} in pod ${podName(this.pod)}`,
    );
  }

  // Ending

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

  private stop(entry: ContainerEntry, message: string, probe?: 'startup' | 'liveness', graceMs?: number): void {
    const { container } = entry;
    const running = this.running.get(container.name);
    if (!running || this.stops.has(container.name)) return;
    const { clock } = this.parts;
    const probeGrace =
      probe === 'startup' ? container.startupProbe : probe === 'liveness' ? container.livenessProbe : undefined;
    const seconds =
      this.pod.metadata.deletionGracePeriodSeconds ??
      probeGrace?.terminationGracePeriodSeconds ??
      this.pod.spec?.terminationGracePeriodSeconds ??
      30;
    const hook = container.lifecycle?.preStop;
    this.tell(entry, 'Normal', 'Killing', message);
    this.set({ ...this.record(entry), stopping: true });
    this.probers.get(container.name)?.[Symbol.dispose]();
    const preStop =
      hook &&
      (async (signal: AbortSignal) => {
        await runHook(hook, this.pod, container, running, this.podIP, clock, signal).catch((error: Error) => {
          this.tell(entry, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
          throw error;
        });
      });
    const stopSignal = (container.lifecycle?.stopSignal ?? 'SIGTERM') as NodeJS.Signals;
    const options = { graceMs: graceMs ?? seconds * 1000, stopSignal, ...(preStop ? { preStop } : {}) };
    this.stops.set(container.name, new ContainerStop(running, options, clock));
  }

  /** First all others, then the sidecars, from the last to the first. */
  private stopAll(): void {
    const now = this.parts.clock.now();
    this.endingSince ??= now;
    const grace = this.pod.metadata.deletionGracePeriodSeconds ?? this.pod.spec?.terminationGracePeriodSeconds ?? 30;
    const deadline = this.endingSince + grace * 1000;
    for (const stop of this.stops.values()) stop.shorten(deadline);
    const live = containersOf(this.pod).filter((entry) => isRunning(this.record(entry)));
    const others = live.filter(({ role }) => role !== 'sidecar');
    const next = others.length > 0 ? others : live.slice(-1);
    for (const entry of next)
      this.stop(entry, `Stopping container ${entry.container.name}`, undefined, Math.max(0, deadline - now));
  }

  private async finish(): Promise<void> {
    this.markLost();
    this.publish(true);
    if (!(await this.writer.settled())) return;
    this.finished = true;
    this.timer?.[Symbol.dispose]();
    this.timerDue = Number.POSITIVE_INFINITY;
    await this.tearDown();
    await this.deleteIfAsked();
  }

  /** Containers that should have run, and did not, have failed: somebody ended the Pod before. */
  private markLost(): void {
    const entries = containersOf(this.pod);
    const begun = entries.some(
      (entry) => entry.role === 'app' && (this.record(entry).instance ?? this.record(entry).lastTermination),
    );
    const lastInit = entries.findLast(({ role }) => role !== 'app');
    const initialized = begun || !lastInit || this.record(lastInit).instance?.termination?.exitCode === 0;
    if (!initialized) return;
    for (const entry of entries) {
      const record = this.record(entry);
      if (entry.role !== 'app' || record.instance?.termination) continue;
      const { waiting: _, ...rest } = record;
      const unknown = lostTermination(undefined);
      this.set({ ...rest, instance: { imageID: '', started: false, ready: false, termination: unknown } });
    }
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

  /** Removes what the containers shared. Logs stay until the Pod is gone. */
  private async tearDown(): Promise<void> {
    const { runtime, volumes, tokens } = this.parts;
    const uid = this.sandbox.uid;
    this.follower?.[Symbol.dispose]();
    await this.follower?.settled();
    await runtime.removeSandbox(uid);
    await volumes.remove(uid);
    tokens.forget(uid);
    this.sandboxReady = false;
    if (runtime.usesFiles) await rm(this.sandbox.directory, { recursive: true, force: true });
  }

  private async discard(): Promise<void> {
    for (const running of this.running.values()) running.signal('SIGKILL');
    await Promise.all([...this.running.values()].map(({ exited }) => exited));
    this.timer?.[Symbol.dispose]();
    this.closed = true;
    await this.tearDown();
    await this.parts.logs.remove(ownerOf(this.pod));
  }

  // Telling

  private tell(entry: ContainerEntry, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.parts.events.event(containerReference(this.pod, entry.container, entry.role), { type, reason, message });
  }

  private publish(ending = false): void {
    const { environment, clock } = this.parts;
    const status = podStatus({
      pod: this.known(),
      records: this.records,
      now: clock.now(),
      startedAt: this.startedAt,
      hostIPs: environment.hostIPs,
      podIPs: environment.podIPs,
      sandboxReady: this.sandboxReady && !ending,
      ending,
      ...(this.failure ? { failure: this.failure } : {}),
    });
    this.status = status;
    this.writer.put(this.pod, status);
  }

  /** The Pod with what we last said of it, which the API may not have told us back yet. */
  private known(): Pod {
    const { pod, status } = this;
    if (!status) return pod;
    const others = (pod.status?.conditions ?? []).filter(({ type }) => !ownConditions.has(type));
    const conditions = [...others, ...(status.conditions ?? []).filter(({ type }) => ownConditions.has(type))];
    const over = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    return { ...pod, status: { ...status, conditions, ...(over ? { phase: pod.status?.phase } : {}) } };
  }
}
