import type { Client, Transport } from '@tektite/client';
import { defineErrors, type Random, seededRandom, sleep } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { type FaultRates, faultyTransport } from './faulty-transport.ts';
import { simulatedProcess } from './simulated-process.ts';
import { type VirtualClock, virtualClock } from './virtual-clock.ts';

/** The environment of a scenario. */
export interface World {
  readonly plane: ControlPlane;
  /** The users' own connection, on which nothing goes wrong. */
  readonly client: Client;
  readonly clock: VirtualClock;
  /** For choices of the scenario; repeated by the seed. */
  readonly random: Random;
  /** Lets virtual time pass. */
  sleep(milliseconds: number): Promise<void>;
}

/** A program, what happens to it, and what has to be true in the end. */
export interface Scenario {
  /** Runs before all else: kinds, other controllers. */
  prepare?(world: World): Promise<void>;
  /** Starts the program under test. Called again after each crash; it has to get everything through this client. */
  start(client: Client, world: World): Promise<void>;
  /** The actions of users. */
  act(world: World): Promise<void>;
  /** Throws when the world is not as it should be, once everything has come to rest. */
  check(world: World): Promise<void>;
}

export interface SimulationOptions {
  readonly seed: number;
  /** Default: a bit of everything. */
  readonly rates?: FaultRates;
  /** Kill the program at its nth write: before the server sees it, or before the program sees the answer. Default by chance. */
  readonly crash?: { readonly write: number; readonly when: 'before' | 'after' } | 'never';
  /** How long the world has to come to rest after the users' last act and the last fault. Default ten minutes. */
  readonly restMs?: number;
  /** How many writes the program may make in an hour of rest. Default 0: who has nothing to do does nothing. */
  readonly idleWrites?: number;
}

export interface SimulationReport {
  readonly seed: number;
  /** The writes of the program, in order. */
  readonly writes: readonly string[];
  readonly faults: readonly string[];
  readonly crashes: number;
}

export const simulationErrors = defineErrors('testkit', 'SimulationError', {
  SCENARIO_FAILED: {
    when: 'a scenario did not end as its check expects',
    fix: 'run the seed that the message names alone, and read the faults and writes that it lists',
  },
});

/** A scenario that did not end well. The message has everything that is needed to see it again. */
export class SimulationError extends simulationErrors.Error {
  readonly report: SimulationReport;

  constructor(report: SimulationReport, cause: unknown) {
    const { seed, writes, faults, crashes } = report;
    super(
      'SCENARIO_FAILED',
      `seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}\n` +
        `  ${crashes} crashes, faults:\n${faults.map((fault) => `    ${fault}`).join('\n')}\n` +
        `  the last writes:\n${writes
          .slice(-20)
          .map((write) => `    ${write}`)
          .join('\n')}`,
      { cause },
    );
    this.report = report;
  }
}

const everyFault: FaultRates = {
  refuse: 0.03,
  lose: 0.03,
  conflict: 0.03,
  overload: 0.02,
  fail: 0.02,
  hang: 0.01,
  delay: 0.1,
  cut: 0.03,
  expire: 0.01,
  lag: 0.1,
  repeat: 0.05,
};

const oneHour = 3_600_000;

/**
 * Runs a program through one scenario: an embedded control plane in virtual time, a connection with faults, a crash and
 * restart, all decided by the seed. The same seed repeats the same run, so that a failure can be debugged.
 *
 * @example for (let seed = 0; seed < 1000; seed++) await simulate(scenario, { seed });
 */
export async function simulate(scenario: Scenario, options: SimulationOptions): Promise<SimulationReport> {
  const { seed } = options;
  const clock = virtualClock();
  const random = seededRandom(seed);
  await using plane = await startControlPlane({ clock, seed });
  const world: World = { plane, client: plane.client, clock, random, sleep: (ms) => sleep(clock, ms) };
  const program = new Program(scenario, world, options);
  try {
    await clock.until(scenario.prepare?.(world) ?? Promise.resolve());
    await clock.until(program.start());
    await clock.until(scenario.act(world));
    await clock.advance(60_000);
    program.heal();
    await clock.advance(options.restMs ?? 600_000);
    await clock.until(scenario.check(world));
    await program.mustRest(options.idleWrites ?? 0);
  } catch (error) {
    throw new SimulationError(program.report(), error);
  } finally {
    program.kill();
  }
  return program.report();
}

/** The program under test and all its incarnations. */
class Program {
  private readonly scenario: Scenario;
  private readonly world: World;
  private readonly seed: number;
  private readonly writes: string[] = [];
  private readonly faultLists: (readonly string[])[] = [];
  private readonly rates: FaultRates;
  private readonly crash: { readonly write: number; readonly when: 'before' | 'after' } | undefined;
  private running: { kill(): void; heal(): void } | undefined;
  private crashes = 0;
  private healed = false;

  constructor(scenario: Scenario, world: World, options: SimulationOptions) {
    this.scenario = scenario;
    this.world = world;
    this.seed = options.seed;
    this.rates = options.rates ?? everyFault;
    const byChance = {
      write: Math.ceil(world.random.next() * 30),
      when: world.random.next() < 0.5 ? 'before' : 'after',
    } as const;
    const crash = options.crash ?? byChance;
    this.crash = crash === 'never' ? undefined : crash;
  }

  async start(): Promise<void> {
    const { plane, clock, random } = this.world;
    const process = simulatedProcess({ clock, random });
    const faulty = faultyTransport(plane.transport(), {
      clock: process.clock,
      random: seededRandom(this.seed * 1000 + this.crashes),
      rates: this.healed ? {} : this.rates,
      maxDelayMs: 2000,
    });
    this.running = { kill: () => process.kill(), heal: () => faulty.heal() };
    const transport = this.crashing(process.transport(faulty), () => process.kill());
    this.faultLists.push(faulty.faults);
    const client = plane.clientFor(transport, { clock: process.clock });
    await this.scenario.start(client, this.world);
  }

  heal(): void {
    this.healed = true;
    this.running?.heal();
  }

  kill(): void {
    this.running?.kill();
  }

  async mustRest(allowed: number): Promise<void> {
    const before = this.writes.length;
    await this.world.clock.advance(oneHour);
    const after = this.writes.slice(before);
    if (after.length > allowed)
      throw new Error(`the program never rests: in an hour without any change it wrote ${after.length} times`);
  }

  report(): SimulationReport {
    return { seed: this.seed, writes: this.writes, faults: this.faultLists.flat(), crashes: this.crashes };
  }

  /** Kills the program at the chosen write, and restarts it some seconds later. */
  private crashing(inner: Transport, kill: () => void): Transport {
    const die = () => {
      this.crashes++;
      kill();
      this.world.clock.setTimer(1000 + this.world.random.next() * 10_000, () => void this.start());
    };
    return {
      ...inner,
      request: async (request) => {
        if (request.method === 'GET') return inner.request(request);
        this.writes.push(`${request.method} ${request.path}`);
        const dies = this.crashes === 0 && this.writes.length === this.crash?.write;
        if (dies && this.crash?.when === 'before') {
          die();
          return new Promise(() => {});
        }
        const answer = inner.request(request);
        if (!dies) return answer;
        await answer.catch(() => undefined);
        die();
        return new Promise(() => {});
      },
    };
  }
}
