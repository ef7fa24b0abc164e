import { type Clock, sleep, systemClock } from '@tektite/meta';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import type { ContainerSpec, ExecRequest, ExecResult, PodRuntime, RunningContainer } from '../runtime/pod-runtime.ts';
import { annotatedSimulation, type Simulation } from './simulation.ts';
import { SimulatedContainer } from './simulated-container.ts';

export interface SimulatedRuntimeOptions {
  readonly clock?: Clock;
  /**
   * The behaviour of a container without annotations on its Pod. Default: one that would be restarted goes on, as
   * servers do; all others end at once, with success.
   */
  readonly simulate?: (spec: ContainerSpec) => Simulation;
  /** Answers for programs that are run in containers, hooks and probes among them. Default: success, and no output. */
  readonly exec?: (spec: ContainerSpec, request: ExecRequest) => Promise<ExecResult>;
  /** Whether probes over the network succeed, as if a program listened. Default false. */
  readonly answersProbes?: boolean;
}

/**
 * Containers without processes: they start, print and end as scripted by an annotation of their Pod or by a function.
 * With a virtual clock, hours pass in milliseconds.
 *
 * @example const runtime = new SimulatedRuntime({ clock, simulate: ({ name }) => ({ runMs: 500, exitCode: name ===
 * 'bad' ? 1 : 0 }) });
 */
export class SimulatedRuntime implements PodRuntime {
  readonly name = 'simulated';
  readonly version = '1.0.0';
  readonly usesFiles = false;
  readonly startsAtOnce = true;
  private readonly options: SimulatedRuntimeOptions;
  private readonly clock: Clock;
  private readonly running = new Set<SimulatedContainer>();

  constructor(options: SimulatedRuntimeOptions = {}) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
  }

  async open(): Promise<void> {
    // There are no files to read.
  }

  async createSandbox(): Promise<undefined> {
    // Containers share nothing here.
    return undefined;
  }

  async startContainer(spec: ContainerSpec): Promise<RunningContainer> {
    const simulation = this.simulationOf(spec);
    if (simulation.startMs) await sleep(this.clock, simulation.startMs);
    if (simulation.startError !== undefined) throw new ContainerStartError('RunContainerError', simulation.startError);
    if (simulation.log) spec.output.write('stdout', Buffer.from(simulation.log));
    const exec = this.options.exec ?? (() => Promise.resolve({ exitCode: 0 }));
    const container = new SimulatedContainer(spec, simulation, this.clock, exec, this.options.answersProbes);
    this.running.add(container);
    void container.exited.then(() => this.running.delete(container));
    return container;
  }

  async removeSandbox(): Promise<void> {
    // Nothing was made.
  }

  async imageUser(): Promise<undefined> {
    return undefined;
  }

  async close(): Promise<void> {
    for (const container of this.running) container.signal('SIGKILL');
    await Promise.all([...this.running].map(({ exited }) => exited));
  }

  private simulationOf(spec: ContainerSpec): Simulation {
    try {
      const annotated = annotatedSimulation(spec.sandbox.annotations, spec.name, spec.attempt);
      return annotated ?? this.options.simulate?.(spec) ?? (spec.restarts ? {} : { runMs: 0 });
    } catch (cause) {
      throw new ContainerStartError('CreateContainerConfigError', (cause as Error).message, { cause });
    }
  }
}
