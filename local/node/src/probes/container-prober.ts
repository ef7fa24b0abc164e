import type { Clock } from '@tektite/meta';
import type { Container, Probe } from '@tektite/schema/kubernetes';
import type { RunningContainer } from '../runtime/pod-runtime.ts';
import type { Reach } from './reach.ts';
import { runProbe } from './run-probe.ts';

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

export interface ProberOptions {
  readonly container: Container;
  readonly running: RunningContainer;
  readonly reach: Reach;
  readonly clock: Clock;
  /** The result for the container changed, after as many equal probes as its threshold. */
  readonly onResult: (kind: ProbeKind, success: boolean) => void;
  /** One probe failed. `error`: by a fault of the probe itself. */
  readonly onFailure: (kind: ProbeKind, message: string) => void;
}

/**
 * Probes one run of a container until it is stopped: first the startup probe, and when that has succeeded, the others.
 */
export class ContainerProber implements Disposable {
  private readonly options: ProberOptions;
  private readonly stop = new AbortController();
  private readonly timers = new Map<ProbeKind, Disposable>();

  constructor(options: ProberOptions) {
    this.options = options;
    const { startupProbe } = options.container;
    if (startupProbe) this.begin('startup', startupProbe);
    else this.beginOthers();
  }

  [Symbol.dispose](): void {
    this.stop.abort();
    for (const timer of this.timers.values()) timer[Symbol.dispose]();
    this.timers.clear();
  }

  private beginOthers(): void {
    const { readinessProbe, livenessProbe } = this.options.container;
    if (readinessProbe) this.begin('readiness', readinessProbe);
    if (livenessProbe) this.begin('liveness', livenessProbe);
  }

  private begin(kind: ProbeKind, probe: Probe): void {
    const { clock, running } = this.options;
    const due = running.startedAt + (probe.initialDelaySeconds ?? 0) * 1000;
    this.schedule(kind, Math.max(0, due - clock.now()), () =>
      this.probe(kind, probe, { result: undefined, last: undefined, run: 0 }),
    );
  }

  private schedule(kind: ProbeKind, delayMs: number, action: () => Promise<void>): void {
    if (this.stop.signal.aborted) return;
    this.timers.set(
      kind,
      this.options.clock.setTimer(delayMs, () => void action()),
    );
  }

  private async probe(kind: ProbeKind, probe: Probe, state: ProbeState): Promise<void> {
    const { container, running, reach, clock } = this.options;
    const began = clock.now();
    const result = await runProbe(probe, container, running, reach, clock, this.stop.signal);
    if (this.stop.signal.aborted) return;
    const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
    if (result.error !== undefined)
      this.options.onFailure(kind, `${name} probe errored and resulted in unknown state: ${result.error}`);
    else if (!result.success) this.options.onFailure(kind, `${name} probe failed: ${result.output}`);
    // A probe that did not work says nothing.
    const next = result.error === undefined ? counted(state, result.success, probe) : state;
    if (next.result !== undefined && next.result !== state.result) this.options.onResult(kind, next.result);
    if (kind === 'startup' && next.result === true) {
      this.beginOthers();
      return;
    }
    // One that failed for good has no more to say until the container is replaced.
    if (kind !== 'readiness' && next.result === false) return;
    const pause = (probe.periodSeconds ?? 10) * 1000 - (clock.now() - began);
    this.schedule(kind, Math.max(0, pause), () => this.probe(kind, probe, next));
  }
}

interface ProbeState {
  readonly result: boolean | undefined;
  readonly last: boolean | undefined;
  readonly run: number;
}

/** The state after one more probe. The result changes only after as many equal probes as its threshold. */
function counted(state: ProbeState, success: boolean, probe: Probe): ProbeState {
  const run = state.last === success ? state.run + 1 : 1;
  const threshold = success ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  return { last: success, run, result: run >= threshold ? success : state.result };
}
