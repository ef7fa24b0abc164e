import { constants } from 'node:os';
import type { Clock } from '@tektite/meta';
import type {
  ContainerExit,
  ContainerSpec,
  ExecRequest,
  ExecResult,
  RunningContainer,
} from '../runtime/pod-runtime.ts';
import type { Simulation } from './simulation.ts';

/** A container that is nothing but a timer. */
export class SimulatedContainer implements RunningContainer {
  readonly id: string;
  readonly imageID: string;
  readonly answersProbes: boolean;
  readonly startedAt: number;
  readonly exited: Promise<ContainerExit>;
  private readonly spec: ContainerSpec;
  private readonly simulation: Simulation;
  private readonly clock: Clock;
  private readonly answer: (spec: ContainerSpec, request: ExecRequest) => Promise<ExecResult>;
  private timer: Disposable | undefined;
  private settle: ((exit: ContainerExit) => void) | undefined;

  constructor(
    spec: ContainerSpec,
    simulation: Simulation,
    clock: Clock,
    answer: (spec: ContainerSpec, request: ExecRequest) => Promise<ExecResult>,
    answersProbes = false,
  ) {
    this.answersProbes = answersProbes;
    this.id = spec.id;
    this.imageID = `simulated://${spec.image}`;
    this.startedAt = clock.now();
    this.spec = spec;
    this.simulation = simulation;
    this.clock = clock;
    this.answer = answer;
    this.exited = new Promise((resolve) => {
      this.settle = resolve;
    });
    const { runMs, exitCode = 0, oomKilled = false } = simulation;
    if (runMs !== undefined) this.endIn(runMs, oomKilled ? 137 : exitCode, oomKilled);
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.settle) return;
    const code = 128 + constants.signals[signal];
    const { stopMs = 0 } = this.simulation;
    if (signal === 'SIGKILL') this.end(code, false);
    else if (stopMs !== null) this.endIn(stopMs, code, false);
  }

  exec(request: ExecRequest): Promise<ExecResult> {
    return this.settle
      ? this.answer(this.spec, request)
      : Promise.reject(new Error(`container ${this.id} is not running`));
  }

  private endIn(delayMs: number, exitCode: number, oomKilled: boolean): void {
    this.timer?.[Symbol.dispose]();
    // A timer of zero would still make the container visible as running.
    if (delayMs === 0) return this.end(exitCode, oomKilled);
    this.timer = this.clock.setTimer(delayMs, () => this.end(exitCode, oomKilled));
  }

  private end(exitCode: number, oomKilled: boolean): void {
    this.timer?.[Symbol.dispose]();
    const settle = this.settle;
    this.settle = undefined;
    const lastWords = this.simulation.terminationMessage;
    settle?.({ exitCode, oomKilled, finishedAt: this.clock.now(), ...(lastWords ? { lastWords } : {}) });
  }
}
