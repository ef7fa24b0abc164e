import type { Client } from '@tektite/client';
import type { Rates } from '../faults/fault.ts';
import type { Ignore } from '../oracles/compare-states.ts';
import type { Rule } from '../oracles/rule.ts';
import type { ProcessContext } from '../world/component.ts';
import type { Interference } from '../world/interference.ts';
import type { World } from '../world/world.ts';

/** A program, what happens to it, and what has to be true in the end. */
export interface Scenario {
  readonly name?: string;
  /** Runs before all else: kinds, other components. */
  prepare?(world: World): Promise<void>;
  /**
   * Starts the program under test, as the component `program`. Called again after each crash; it has to get everything through this
   * client. A scenario without it adds its components in `prepare`.
   */
  start?(client: Client, world: World, context: ProcessContext): Promise<void>;
  /** The actions of users. */
  act(world: World): Promise<void>;
  /** Throws when the world is not as it should be, once everything has come to rest. */
  check?(world: World): Promise<void>;
  /** Promises that must hold at every moment, in addition to those that hold for every program. */
  readonly rules?: readonly Rule[];
  /** How often faults strike. Default: a bit of everything. */
  readonly rates?: Rates;
  /** The kinds that another user may delete, edit and replace. Default: none. */
  readonly interference?: Interference;
  /** The users do the same for every seed: the final state has to be that of a run without faults. */
  readonly isFixed?: boolean;
  /** Fields that may differ from a run without faults. */
  readonly ignore?: Ignore;
  /** Whether Pods get service accounts, as on a whole cluster. Default false. */
  readonly hasServiceAccounts?: boolean;
  /** How long the world has to come to rest after the users' last act and the last fault. Default ten minutes. */
  readonly restMs?: number;
  /** How many writes each component may make in twenty minutes of rest, Leases not counted. Default 0. */
  readonly idleWrites?: number;
  /** Components that may write at rest. */
  readonly restless?: readonly string[];
}
