import type { Client } from '@tektite/client';
import { type Random, sleep } from '@tektite/meta';
import { type ControlPlane, startControlPlane, type VirtualClock } from '@tektite/testkit';
import type { Fault, Rates } from '../faults/fault.ts';
import { FaultSchedule } from '../faults/fault-schedule.ts';
import { History } from '../history/history.ts';
import { recordedTransport } from '../history/recorded-transport.ts';
import { derivedRandom, derivedSeed } from '../seed/derived-random.ts';
import { Component, type ComponentOptions, type CrashPoint, type StartProcess } from './component.ts';
import { type Interference, OtherUser } from './interference.ts';
import { WebhookGate } from './webhook-gate.ts';

/** The environment of a scenario. */
export interface World {
  readonly plane: ControlPlane;
  /** The users' own connection, on which nothing goes wrong. */
  readonly client: Client;
  readonly clock: VirtualClock;
  /** For choices of the scenario; repeated by the seed. */
  readonly random: Random;
  readonly seed: number;
  readonly history: History;
  /** Features of the run besides its history, such as causes of reconciles. */
  readonly features: Set<string>;
  /** Lets virtual time pass. */
  sleep(milliseconds: number): Promise<void>;
  /** Adds a process with a connection and a clock, on which faults strike. Resolves when it has started. */
  component(name: string, start: StartProcess, options?: ComponentOptions): Promise<Component>;
}

export interface WorldOptions {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly rates: Rates;
  readonly faults?: readonly Fault[];
  readonly crashes: readonly CrashPoint[];
  readonly interference: Interference;
  /** Whether Pods get their service accounts and tokens, as on a whole cluster. */
  readonly hasServiceAccounts: boolean;
}

const tickMs = 10_000;

/** A control plane in virtual time and the processes around it. */
export class SimulatedWorld implements World {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly seed: number;
  readonly history: History;
  readonly features: Set<string> = new Set();
  readonly schedule: FaultSchedule;
  readonly components: Component[] = [];
  private readonly options: WorldOptions;
  private readonly otherUser: OtherUser;
  private readonly webhooks: WebhookGate;
  private ticking: Disposable | undefined;

  static async create(options: WorldOptions): Promise<SimulatedWorld> {
    const { clock, seed, hasServiceAccounts } = options;
    const plane = await startControlPlane({
      clock,
      seed: derivedSeed(seed, 'apiserver'),
      ...(hasServiceAccounts ? { disabledAdmissionPlugins: [] } : {}),
    });
    return new SimulatedWorld(plane, options);
  }

  private constructor(plane: ControlPlane, options: WorldOptions) {
    const { clock, seed, rates, faults, interference } = options;
    this.options = options;
    this.plane = plane;
    this.webhooks = new WebhookGate(plane.server.localWebhooks);
    this.clock = clock;
    this.seed = seed;
    this.random = derivedRandom(seed, 'user');
    this.history = new History(clock);
    this.schedule = new FaultSchedule({ seed, rates, ...(faults ? { faults } : {}) });
    const { storage } = plane.server;
    storage.watch('', storage.revision, (event) => this.history.change(event));
    this.client = this.clientOf('user');
    const { schedule, history } = this;
    this.otherUser = new OtherUser(interference, {
      client: this.clientOf('other-user'),
      storage,
      schedule,
      history,
      rates,
    });
  }

  // Scenarios take these out of the world.
  readonly sleep = (milliseconds: number): Promise<void> => sleep(this.clock, milliseconds);

  readonly component = async (
    name: string,
    start: StartProcess,
    options: ComponentOptions = {},
  ): Promise<Component> => {
    const { plane, clock, history, schedule, seed } = this;
    const { rates, crashes } = this.options;
    const component = new Component(
      name,
      start,
      { plane, clock, history, schedule, seed, rates, crashes, webhooks: this.webhooks },
      options,
    );
    this.components.push(component);
    component.start();
    await component.ready;
    return component;
  };

  /** Starts the faults that strike at any time. */
  startTicking(): void {
    this.ticking = this.clock.setTimer(tickMs, () => {
      for (const component of this.components) component.tick();
      void this.otherUser.tick();
      this.startTicking();
    });
  }

  heal(): void {
    this.ticking?.[Symbol.dispose]();
    this.schedule.heal();
    for (const component of this.components) component.heal();
    this.history.note('simulation', 'no more faults');
  }

  /** Kills all components for good. */
  kill(): void {
    this.ticking?.[Symbol.dispose]();
    for (const component of this.components) component.kill();
  }

  async close(): Promise<void> {
    this.history.end();
    this.kill();
    await this.clock.until(this.plane.close());
  }

  private clientOf(name: string): Client {
    const random = derivedRandom(this.seed, name, 'client');
    return this.plane.clientFor(recordedTransport(this.plane.transport(), name, this.history), { random });
  }
}
