import type { Pod } from '@tektite/schema/kubernetes';
import { ContainerProber } from '../probes/container-prober.ts';
import type { Reach } from '../probes/reach.ts';
import { isContainerStartError } from '../runtime/container-start-error.ts';
import type { RunningContainer } from '../runtime/pod-runtime.ts';
import type { AgentParts } from './agent-parts.ts';
import { ContainerLauncher, containerReference } from './container-launcher.ts';
import {
  type ContainerEntry,
  type ContainerInstance,
  type ContainerRecord,
  containersOf,
  ephemeralContainersOf,
  isRunning,
  newRecord,
  podName,
} from '../container/container-record.ts';
import { limitsOf } from './container-spec.ts';
import { ContainerStop } from './container-stop.ts';
import { runHook } from './lifecycle-hook.ts';
import type { PodSetup } from './pod-setup.ts';
import { backOffText, nextBackOff, shouldRestart } from '../container/restart-policy.ts';
import { lostTermination, restoreRecords } from './restore-records.ts';

/** How long to wait before a start that failed is tried again. */
const retryMs = 10_000;
const defaultGraceSeconds = 30;

/** The containers of one Pod: what is known of each, and how they are started and ended. */
export class PodContainers {
  readonly records: Map<string, ContainerRecord>;
  private readonly parts: AgentParts;
  private readonly setup: PodSetup;
  private readonly launcher: ContainerLauncher;
  /** Called when something about a container is different. */
  private readonly changed: () => void;
  private readonly running = new Map<string, RunningContainer>();
  private readonly probers = new Map<string, ContainerProber>();
  private readonly stops = new Map<string, ContainerStop>();
  /** Cancels the pull of an image that a start waits for. */
  private starting: AbortController | undefined;
  private pod: Pod;

  constructor(pod: Pod, setup: PodSetup, parts: AgentParts, changed: () => void) {
    this.pod = pod;
    this.setup = setup;
    this.parts = parts;
    this.changed = changed;
    this.launcher = new ContainerLauncher(parts);
    this.records = restoreRecords(pod);
  }

  update(pod: Pod): void {
    this.pod = pod;
    if (pod.metadata.deletionTimestamp) this.cancelStart();
  }

  /** Ends the wait for an image: the Pod does not need it any more. */
  cancelStart(): void {
    this.starting?.abort();
  }

  /** A container that runs now. */
  find(name: string): RunningContainer | undefined {
    return this.running.get(name);
  }

  /** Those that run now, by name. */
  get all(): ReadonlyMap<string, RunningContainer> {
    return this.running;
  }

  get isRunning(): boolean {
    return this.running.size > 0;
  }

  /** Whether one ended badly. */
  get hasFailures(): boolean {
    return [...this.records.values()].some(({ instance }) => (instance?.termination?.exitCode ?? 0) !== 0);
  }

  /** Whether one has ended to be run again with another image, and that has not been tried yet. */
  get isReplacing(): boolean {
    for (const { instance, waiting } of this.records.values())
      if (instance?.replaced && instance.termination && !waiting) return true;
    return false;
  }

  /** How often the container was started before its newest run; -1 when it never ran. */
  attempt(name: string): number {
    const record = this.records.get(name);
    if (!record?.instance) return record?.lastTermination ? record.restartCount - 1 : -1;
    return record.restartCount;
  }

  entry(name: string): ContainerEntry {
    const found = [...containersOf(this.pod), ...ephemeralContainersOf(this.pod)].find(
      ({ container }) => container.name === name,
    );
    if (!found) throw new Error(`Pod ${podName(this.pod)} has no container ${name}`);
    return found;
  }

  /** Starts one, again or for the first time. What fails is in its record, with the time of the next attempt. */
  async start(entry: ContainerEntry): Promise<void> {
    const { container, role } = entry;
    const before = this.record(entry);
    const next = this.nextRun(before);
    const request = {
      pod: this.pod,
      container,
      role,
      attempt: next.restartCount,
      sandbox: this.setup.sandbox,
      podIPs: this.setup.podIPs(this.pod),
      volumes: this.setup.volumes,
    };
    const { signal } = (this.starting = new AbortController());
    try {
      const { running, containerID, ended } = await this.launcher.launch(request, signal);
      const held = container.lifecycle?.postStart !== undefined || container.startupProbe !== undefined;
      const { imageID, startedAt, user } = running;
      const instance = {
        containerID,
        imageID,
        image: container.image ?? '',
        resources: container.resources ?? {},
        startedAt,
        started: !held,
        ready: !held && !container.readinessProbe,
      };
      this.set({ ...next, instance: { ...instance, ...(user ? { user } : {}) } });
      this.running.set(container.name, running);
      void ended.then((termination) => this.ended(entry, { ready: false, started: false, termination }));
      await this.afterStart(entry, running);
    } catch (error) {
      if (signal.aborted) return;
      if (!isContainerStartError(error)) throw error;
      this.startFailed(entry, before, next, error);
    }
  }

  /** Says that one has to wait after it failed. */
  backOff(entry: ContainerEntry): void {
    const record = this.record(entry);
    const delay = backOffText(record.backOff?.delayMs ?? 0);
    const message = `back-off ${delay} restarting failed container=${record.name} pod=${podName(this.pod)}`;
    if (record.waiting?.message === message) return;
    this.set({ ...record, waiting: { reason: 'CrashLoopBackOff', message } });
    this.recordEvent(
      entry,
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${record.name} in pod ${podName(this.pod)}`,
    );
  }

  /** Ends one that is to be run again with another image. */
  replace(entry: ContainerEntry, message: string): void {
    const record = this.record(entry);
    if (record.instance) this.set({ ...record, instance: { ...record.instance, replaced: true } });
    this.stop(entry, message);
  }

  /** Gives one the resources that it has been allocated, while it runs. Returns whether it has them. */
  resize(entry: ContainerEntry): boolean {
    const record = this.record(entry);
    const running = this.running.get(record.name);
    const { instance } = record;
    if (!running || !instance) return true;
    const { resizeError: before, ...rest } = instance;
    try {
      running.setLimits?.(limitsOf(this.pod, entry.container));
      this.set({ ...record, instance: { ...rest, resources: entry.container.resources ?? {} } });
      return true;
    } catch (error) {
      const resizeError = `attempting to set container ${JSON.stringify(record.name)} ${(error as Error).message}`;
      this.set({ ...record, instance: { ...rest, resizeError } });
      if (before !== resizeError) this.changed();
      return false;
    }
  }

  /** Asks one to end, and ends it after its grace period. */
  stop(
    entry: ContainerEntry,
    message: string,
    how: { readonly probe?: 'startup' | 'liveness'; readonly graceMs?: number } = {},
  ): void {
    const { container } = entry;
    const running = this.running.get(container.name);
    if (!running || this.stops.has(container.name)) return;
    this.recordEvent(entry, 'Normal', 'Killing', message);
    this.set({ ...this.record(entry), stopping: true });
    this.probers.get(container.name)?.[Symbol.dispose]();
    const hook = container.lifecycle?.preStop;
    const preStop =
      hook &&
      ((signal: AbortSignal) =>
        runHook(hook, this.pod, container, running, this.reach, this.parts.clock, signal).catch(() =>
          this.recordEvent(entry, 'Warning', 'FailedPreStopHook', 'PreStopHook failed'),
        ));
    const probe = how.probe && container[`${how.probe}Probe`];
    const graceMs = how.graceMs ?? this.graceMs(probe?.terminationGracePeriodSeconds);
    const stopSignal = (container.lifecycle?.stopSignal ?? running.stopSignal ?? 'SIGTERM') as NodeJS.Signals;
    this.stops.set(
      container.name,
      new ContainerStop(running, { graceMs, stopSignal, ...(preStop ? { preStop } : {}) }, this.parts.clock),
    );
  }

  /** Ends all within the Pod's grace period: first all others, then the sidecars, from the last to the first. */
  stopAll(since: number): void {
    const now = this.parts.clock.now();
    const deadline = since + this.graceMs();
    for (const stop of this.stops.values()) stop.shorten(deadline);
    const all = [...containersOf(this.pod), ...ephemeralContainersOf(this.pod)];
    const live = all.filter((entry) => isRunning(this.record(entry)));
    const others = live.filter(({ role }) => role !== 'sidecar');
    const next = others.length > 0 ? others : live.slice(-1);
    const graceMs = Math.max(0, deadline - now);
    for (const entry of next) this.stop(entry, `Stopping container ${entry.container.name}`, { graceMs });
  }

  /** Containers that should have run and did not have failed: the Pod was ended before. */
  markLost(): void {
    const entries = containersOf(this.pod);
    const apps = entries.filter(({ role }) => role === 'app').map((entry) => this.record(entry));
    const started = apps.some(({ instance, lastTermination }) => instance ?? lastTermination);
    const lastInit = entries.findLast(({ role }) => role !== 'app');
    if (!started && lastInit && this.record(lastInit).instance?.termination?.exitCode !== 0) return;
    for (const { waiting: _, ...record } of apps) {
      if (record.instance?.termination) continue;
      this.set({
        ...record,
        instance: { imageID: '', started: false, ready: false, termination: lostTermination(undefined) },
      });
    }
  }

  /** Ends all at once. */
  async kill(): Promise<void> {
    const all = [...this.running.values()];
    for (const running of all) running.signal('SIGKILL');
    await Promise.all(all.map(({ exited }) => exited));
  }

  /** Stops observing the containers, without ending them. */
  close(): void {
    this.cancelStart();
    for (const prober of this.probers.values()) prober[Symbol.dispose]();
  }

  private record(entry: ContainerEntry): ContainerRecord {
    return this.records.get(entry.container.name) ?? newRecord(entry);
  }

  private set(record: ContainerRecord): void {
    this.records.set(record.name, record);
  }

  private get reach(): Reach {
    return { podIP: this.podIP, network: this.parts.network };
  }

  private get podIP(): string {
    return this.setup.podIPs(this.pod)[0] ?? '127.0.0.1';
  }

  private graceMs(own?: number): number {
    const { metadata, spec } = this.pod;
    const { deletionGracePeriodSeconds = own ?? spec?.terminationGracePeriodSeconds } = metadata;
    return Number(deletionGracePeriodSeconds ?? defaultGraceSeconds) * 1000;
  }

  /** The record of a container that is about to run once more. */
  private nextRun(before: ContainerRecord): ContainerRecord {
    const { waiting: _, retryAt: __, instance, ...rest } = before;
    const termination = instance?.termination;
    const now = this.parts.clock.now();
    const backOff = termination ? nextBackOff(before.backOff, termination.finishedAt ?? 0, now) : before.backOff;
    return {
      ...rest,
      restartCount: instance ? before.restartCount + 1 : before.restartCount,
      stopping: false,
      ...(termination ? { lastTermination: termination } : {}),
      ...(backOff ? { backOff } : {}),
    };
  }

  private startFailed(
    entry: ContainerEntry,
    before: ContainerRecord,
    next: ContainerRecord,
    error: { reason: string; message: string; imageID: string; retryAt: number | undefined },
  ): void {
    const now = this.parts.clock.now();
    const later = {
      waiting: { reason: error.reason, message: error.message },
      retryAt: error.retryAt ?? now + retryMs,
    };
    if (error.reason === 'RunContainerError') {
      const termination = {
        exitCode: 128,
        reason: 'StartError',
        message: error.message,
        startedAt: 0,
        finishedAt: now,
      };
      const again = shouldRestart(this.pod, entry.container, entry.role, termination.exitCode);
      this.set({
        ...next,
        instance: { imageID: error.imageID, started: false, ready: false, termination },
        ...(again ? later : {}),
      });
    } else this.set({ ...before, ...later });
    this.changed();
  }

  private ended(entry: ContainerEntry, end: Pick<ContainerInstance, 'ready' | 'started' | 'termination'>): void {
    const { name } = entry.container;
    const record = this.record(entry);
    this.running.delete(name);
    this.stops.delete(name);
    this.probers.get(name)?.[Symbol.dispose]();
    this.probers.delete(name);
    if (record.instance) this.set({ ...record, stopping: false, instance: { ...record.instance, ...end } });
    this.changed();
  }

  /** The hook of a container that has just started, and then its probes. */
  private async afterStart(entry: ContainerEntry, running: RunningContainer): Promise<void> {
    const { container } = entry;
    const hook = container.lifecycle?.postStart;
    if (
      hook &&
      !(await this.postStart(entry, running, () =>
        runHook(hook, this.pod, container, running, this.reach, this.parts.clock),
      ))
    )
      return;
    const record = this.record(entry);
    if (!record.instance || record.instance.termination) return;
    const started = !container.startupProbe;
    this.set({ ...record, instance: { ...record.instance, started, ready: started && !container.readinessProbe } });
    if (container.startupProbe ?? container.readinessProbe ?? container.livenessProbe) this.probe(entry, running);
    this.changed();
  }

  /** Whether the container goes on after its hook. */
  private async postStart(
    entry: ContainerEntry,
    running: RunningContainer,
    hook: () => Promise<void>,
  ): Promise<boolean> {
    this.changed();
    const outcome = hook().then(
      () => 'done',
      () => 'failed',
    );
    const result = await Promise.race([outcome, running.exited.then(() => 'ended')]);
    if (result !== 'failed') return result === 'done';
    this.recordEvent(entry, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
    this.stop(entry, 'FailedPostStartHook');
    return false;
  }

  private probe(entry: ContainerEntry, running: RunningContainer): void {
    const { container } = entry;
    const change = (fields: Partial<ContainerInstance>) => {
      const record = this.record(entry);
      if (this.running.get(container.name) !== running || !record.instance) return;
      this.set({ ...record, instance: { ...record.instance, ...fields } });
      this.changed();
    };
    const prober = new ContainerProber({
      container,
      running,
      reach: this.reach,
      clock: this.parts.clock,
      onFailure: (_, message) => this.recordEvent(entry, 'Warning', 'Unhealthy', message),
      onResult: (kind, success) => {
        if (kind === 'readiness') change({ ready: success });
        else if (!success) change({ unhealthy: kind });
        else if (kind === 'startup') change({ started: true, ready: !container.readinessProbe });
      },
    });
    this.probers.set(container.name, prober);
  }

  private recordEvent(entry: ContainerEntry, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.parts.events.event(containerReference(this.pod, entry.container, entry.role), { type, reason, message });
  }
}
