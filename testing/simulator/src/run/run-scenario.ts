import { virtualClock } from '@tektite/testkit';
import { describeFault, type Fault, type Rates, standardRates, writeFaults } from '../faults/fault.ts';
import { guardRealWorld, type RealWorldGuard } from '../guard/real-world-guard.ts';
import type { HistoryEntry } from '../history/history.ts';
import { coverageOf } from '../history/coverage.ts';
import { compareStates, type Mask } from '../oracles/compare-states.ts';
import { type FinalState, finalState } from '../oracles/final-state.ts';
import { HotLoopWatch } from '../oracles/hot-loop.ts';
import { noOrphans } from '../oracles/object-rules.ts';
import type { Rule } from '../oracles/rule.ts';
import { linearizableWrites, observedGenerationNeverFalls } from '../oracles/store-rules.ts';
import type { Component, CrashPoint } from '../world/component.ts';
import { SimulatedWorld } from '../world/world.ts';
import type { Scenario } from './scenario.ts';
import type { Failure, SimulationReport } from './simulation-report.ts';

export interface RunOptions {
  readonly seed: number;
  /** Default: those of the scenario. */
  readonly rates?: Rates;
  /** Exactly these faults, instead of those that the seed chooses. */
  readonly faults?: readonly Fault[];
  /** Kill a component at its nth write: before the server sees it, or before the component sees the answer. `never`: no crash at a write. */
  readonly crash?: CrashPoint | readonly CrashPoint[] | 'never';
  readonly restMs?: number;
  readonly idleWrites?: number;
  /** The state that a run without faults reaches, and the fields that depend on chance. */
  readonly baseline?: Baseline;
  /** Called with each entry of the history as it happens. */
  readonly onEntry?: (entry: HistoryEntry) => void;
}

/** The result of runs without faults. */
export interface Baseline {
  readonly state: FinalState;
  readonly mask: Mask;
}

/** Longer than the longest backoff of a queue, so that every loop shows. */
const idleMs = 1_200_000;
const defaultRestMs = 600_000;
/** The last faults strike in this time after the users' last act. */
const faultyTailMs = 60_000;

/** The component that collects garbage, where the scenario has one. */
const collector = 'kube-controller-manager';

class Failed extends Error {
  readonly oracle: string;
  readonly at: number | undefined;
  constructor(oracle: string, message: string, options?: ErrorOptions, at?: number) {
    super(message, options);
    this.oracle = oracle;
    this.at = at;
  }
}

/**
 * Runs a scenario once. Never rejects for what the program did: the report says what went wrong.
 *
 * Flow: a control plane in virtual time; `prepare`; the program; the users' acts and the faults, side by side; a minute later no more
 * faults; time to come to rest; `check`, rules and the comparison with a run without faults; twenty minutes in which nothing may be written.
 */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<SimulationReport> {
  using guard = guardRealWorld();
  const clock = virtualClock(undefined, { settle: () => guard.settle() });
  const world = await SimulatedWorld.create({
    seed: options.seed,
    clock,
    rates: ratesOf(scenario, options),
    ...(options.faults ? { faults: options.faults } : {}),
    crashes: crashesOf(options.crash),
    interference: scenario.interference ?? {},
    hasServiceAccounts: scenario.hasServiceAccounts ?? false,
  });
  if (options.onEntry) world.history.onEntry(options.onEntry);
  const hotLoop = new HotLoopWatch(world.history, () => world.kill());
  let failure: Failure | undefined;
  let state: FinalState | undefined;
  try {
    await perform(scenario, world, options);
    state = finalState(world.plane.server.storage);
    judge(scenario, world, options, state);
    await mustRest(scenario, world, options.idleWrites ?? scenario.idleWrites ?? 0);
  } catch (error) {
    failure = failureOf(error, world);
  }
  await world.close();
  failure = realWorldFailure(guard, world) ?? hotLoopFailure(hotLoop) ?? failure;
  return {
    seed: options.seed,
    ...(failure ? { failure } : {}),
    writes: faulty(world, scenario).flatMap(({ writes }) => writes),
    faults: world.schedule.struck.map(describeFault),
    struck: world.schedule.struck,
    visits: world.schedule.visits,
    crashes: world.components.reduce((sum, { crashes }) => sum + crashes, 0),
    history: world.history,
    coverage: coverageOf(world.history, world.schedule.struck, world.features),
    ...(state ? { state } : {}),
  };
}

async function perform(scenario: Scenario, world: SimulatedWorld, options: RunOptions): Promise<void> {
  const { clock } = world;
  await clock.until(scenario.prepare?.(world) ?? Promise.resolve());
  const { start } = scenario;
  if (start)
    await clock.until(world.component('program', (client, context) => start.call(scenario, client, world, context)));
  world.startTicking();
  await clock.until(scenario.act(world));
  await clock.advance(faultyTailMs);
  world.heal();
  await clock.advance(options.restMs ?? scenario.restMs ?? defaultRestMs);
  try {
    await clock.until(scenario.check?.(world) ?? Promise.resolve());
  } catch (error) {
    throw new Failed('check', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function judge(scenario: Scenario, world: SimulatedWorld, { baseline }: RunOptions, state: FinalState): void {
  const everywhere: readonly Rule[] = [
    linearizableWrites,
    observedGenerationNeverFalls,
    ...(world.components.some(({ name }) => name === collector) ? [noOrphans] : []),
  ];
  for (const rule of [...everywhere, ...(scenario.rules ?? [])]) {
    const [first] = rule.check(world.history);
    if (first) throw new Failed(rule.name, first.message, undefined, first.at);
  }
  if (!baseline) return;
  const found = compareStates(baseline.state, state, baseline.mask, scenario.ignore);
  if (found.length > 0) throw new Failed('final state', found.slice(0, 12).join('\n  '));
}

async function mustRest(scenario: Scenario, world: SimulatedWorld, allowed: number): Promise<void> {
  const resting = faulty(world, scenario);
  const before = resting.map(writesOf);
  const objects = world.plane.server.storage.count('');
  await world.clock.advance(idleMs);
  for (const [index, component] of resting.entries()) {
    const more = writesOf(component).slice(before[index]?.length);
    if (more.length > allowed)
      throw new Failed(
        'rest',
        `the ${component.name} never rests: in twenty minutes without any change it wrote ${more.length} times, last ${more.at(-1)}`,
      );
  }
  const grown = world.plane.server.storage.count('') - objects;
  if (grown > 0) throw new Failed('growth', `in twenty minutes without any change ${grown} objects were added`);
}

/** Renewing a Lease is how a component says that it lives. */
function writesOf({ writes }: Component): readonly string[] {
  return writes.filter((write) => !write.includes('/leases'));
}

function faulty(world: SimulatedWorld, { restless = [] }: Scenario): readonly Component[] {
  return world.components.filter(({ name }) => !restless.includes(name));
}

function failureOf(error: unknown, world: SimulatedWorld): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Failed)
    return {
      oracle: error.oracle,
      message,
      at: error.at ?? world.history.now,
      ...(error.cause === undefined ? {} : { cause: error.cause }),
    };
  return { oracle: 'scenario', message, at: world.history.now, cause: error };
}

function realWorldFailure({ violations }: RealWorldGuard, world: SimulatedWorld): Failure | undefined {
  const [first] = violations;
  return first === undefined ? undefined : { oracle: 'real world', message: first, at: world.history.now };
}

function hotLoopFailure({ violation }: HotLoopWatch): Failure | undefined {
  return violation && { oracle: 'hot loop', ...violation };
}

function ratesOf(scenario: Scenario, { rates, crash }: RunOptions): Rates {
  const chosen = rates ?? scenario.rates ?? standardRates;
  if (crash === undefined) return chosen;
  return { ...chosen, ...Object.fromEntries(writeFaults.map((fault) => [fault, 0])), kill: 0 };
}

function crashesOf(crash: RunOptions['crash']): readonly CrashPoint[] {
  if (crash === undefined || crash === 'never') return [];
  return 'write' in crash ? [crash] : crash;
}
