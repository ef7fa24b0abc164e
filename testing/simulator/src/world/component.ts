import { setMaxListeners } from 'node:events';
import type { Client, Transport } from '@tektite/client';
import type { LocalWebhookHost } from '@tektite/controller/webhook';
import { sleep } from '@tektite/meta';
import {
  type ControlPlane,
  faultyTransport,
  type SimulatedProcess,
  simulatedProcess,
  type VirtualClock,
} from '@tektite/testkit';
import { describeFault, type Fault, type Rates, tickFaults, writeFaults } from '../faults/fault.ts';
import type { FaultSchedule } from '../faults/fault-schedule.ts';
import { scheduledDecision } from '../faults/scheduled-decision.ts';
import type { History } from '../history/history.ts';
import { recordedTransport } from '../history/recorded-transport.ts';
import { derivedNumber, derivedRandom } from '../seed/derived-random.ts';
import type { WebhookGate } from './webhook-gate.ts';

/** The surroundings of one incarnation of a component. */
export interface ProcessContext {
  /** 0 for the first, one more after each crash. */
  readonly incarnation: number;
  /** Where it serves its webhooks. */
  readonly webhooks: LocalWebhookHost;
}

/** Starts one incarnation. It has to do everything through this client, its clock and its randomness. */
export type StartProcess = (client: Client, context: ProcessContext) => Promise<void>;

/** Kills a component at its nth write, counted from one. */
export interface CrashPoint {
  readonly component?: string;
  readonly write: number;
  readonly when: 'before' | 'after';
}

export interface ComponentOptions {
  /** Default: those of the run. `{}`: nothing goes wrong on its side. */
  readonly rates?: Rates;
  /** The user that it is to the server. Default: its name, in system:masters. */
  readonly user?: { readonly name: string; readonly groups: readonly string[] };
  readonly fieldManager?: string;
}

/** The parts of a run that all components share. */
export interface ComponentParts {
  readonly plane: ControlPlane;
  readonly clock: VirtualClock;
  readonly history: History;
  readonly schedule: FaultSchedule;
  readonly seed: number;
  readonly rates: Rates;
  readonly crashes: readonly CrashPoint[];
  readonly webhooks: WebhookGate;
}

const maxDelayMs = 2000;
/** A request of a write takes up to this long, by the seed: so concurrent ones take effect in any order. */
const maxLatencyMs = 3;
const maxPartitionMs = 120_000;
const maxPauseMs = 60_000;
const maxJumpMs = 60_000;
/** How long a process waits that could not start. */
const startFailureMs = 5000;
/** A process that crashes at each start would never come to rest. */
const maxCrashes = 4;

/** A process of the simulation and all its incarnations: each has a connection, a clock and randomness, and may be killed at any time. */
export class Component {
  readonly name: string;
  /** The writes that it sent, in order. */
  readonly writes: string[] = [];
  /** All requests that it sent, watches not counted. */
  requests = 0;
  crashes = 0;
  /** Resolves when an incarnation has started: the first, unless a fault prevents it. */
  readonly ready: Promise<void>;
  private readonly begin: StartProcess;
  private readonly parts: ComponentParts;
  private readonly options: ComponentOptions;
  private process: SimulatedProcess | undefined;
  private faulty: { heal(): void } | undefined;
  private markReady: () => void = () => undefined;
  private incarnation = -1;
  private ahead = 0;
  private isPartitioned = false;
  private isHealed = false;

  constructor(name: string, begin: StartProcess, parts: ComponentParts, options: ComponentOptions = {}) {
    this.name = name;
    this.begin = begin;
    this.parts = parts;
    this.options = options;
    this.ready = new Promise((resolve) => {
      this.markReady = resolve;
    });
  }

  private get rates(): Rates {
    return this.options.rates ?? this.parts.rates;
  }

  /** Starts the next incarnation. One that fails to start is started again a moment later, as a kubelet would. */
  start(): void {
    const { plane, clock, history, schedule, seed } = this.parts;
    const { name, options } = this;
    this.incarnation++;
    const random = derivedRandom(seed, name, this.incarnation);
    const process = simulatedProcess({ clock, random });
    this.process = process;
    this.ahead = 0;
    const user = options.user ?? { name, groups: ['system:masters', 'system:authenticated'] };
    const server = recordedTransport(plane.transport({ name: user.name, groups: [...user.groups] }), name, history);
    const decide = scheduledDecision(schedule, name, this.rates, (fault, { method, path }) =>
      history.note(name, `fault: ${fault.fault} ${method} ${path}`),
    );
    const faulty = faultyTransport(this.reachable(server, random), { clock: process.clock, decide, maxDelayMs });
    this.faulty = faulty;
    if (this.isHealed) faulty.heal();
    const transport = this.crashing(process.transport(faulty), process);
    const client = plane.clientFor(transport, {
      clock: process.clock,
      random,
      ...(options.fieldManager === undefined ? {} : { fieldManager: options.fieldManager }),
    });
    history.note(name, this.incarnation === 0 ? 'starts' : `starts again (${this.incarnation})`);
    const webhooks = this.parts.webhooks.open({
      lives: () => !process.killed && process === this.process,
      isDown: () => this.webhooksAreDown(),
    });
    this.begin(client, { incarnation: this.incarnation, webhooks }).then(this.markReady, (error: Error) => {
      if (process.killed) return;
      history.note(name, `fails to start: ${error.message}`);
      process.kill();
      this.startLater(startFailureMs);
    });
  }

  /** Considers the faults that strike at any time. */
  tick(): void {
    const fault = this.parts.schedule.decide(this.name, 'tick', tickFaults, this.rates);
    const process = this.process;
    if (!fault || !process || process.killed) return;
    if (fault.fault === 'kill' && this.crashes >= maxCrashes) return;
    this.strike(fault);
    const { clock } = this.parts;
    if (fault.fault === 'kill') this.crash(process);
    else if (fault.fault === 'jump') this.jump(process, (fault.amount * 2 - 1) * maxJumpMs);
    else if (fault.fault === 'partition') {
      this.isPartitioned = true;
      clock.setTimer(fault.amount * maxPartitionMs, () => this.reconnect());
    } else {
      process.pause();
      clock.setTimer(fault.amount * maxPauseMs, () => this.resume(process));
    }
  }

  heal(): void {
    this.isHealed = true;
    this.faulty?.heal();
    // Its clock is set right, as by NTP.
    if (this.process) this.jump(this.process, -this.ahead);
    if (this.isPartitioned) this.reconnect();
  }

  kill(): void {
    this.process?.kill();
  }

  private jump(process: SimulatedProcess, milliseconds: number): void {
    this.ahead += milliseconds;
    process.jump(milliseconds);
  }

  private reconnect(): void {
    if (!this.isPartitioned) return;
    this.isPartitioned = false;
    this.parts.history.note(this.name, 'reaches the server again');
  }

  private resume(process: SimulatedProcess): void {
    if (process.killed) return;
    this.parts.history.note(this.name, 'runs again');
    void process.resume();
  }

  private strike(fault: Fault): void {
    this.parts.schedule.strike(fault);
    this.parts.history.note(this.name, `fault: ${describeFault(fault).slice(this.name.length + 2)}`);
  }

  private crash(process: SimulatedProcess): void {
    const { seed, history } = this.parts;
    this.crashes++;
    process.kill();
    history.note(this.name, 'is killed');
    this.startLater(1000 + derivedNumber(seed, this.name, 'restart', this.crashes) * 10_000);
  }

  private startLater(milliseconds: number): void {
    this.parts.clock.setTimer(milliseconds, () => this.start());
  }

  private webhooksAreDown(): boolean {
    if (this.isPartitioned) return true;
    const fault = this.parts.schedule.decide(this.name, 'webhook', ['webhookDown'], this.rates);
    if (fault) this.strike(fault);
    return fault !== undefined;
  }

  /** The way to the server: it takes a moment, and a partition closes it. */
  private reachable(inner: Transport, random: { next(): number }): Transport {
    const { clock } = this.parts;
    const open = async (signal: AbortSignal | undefined) => {
      // One signal may end all watches of a process; that is no leak to warn about.
      if (signal) setMaxListeners(0, signal);
      while (this.isPartitioned) await sleep(clock, 1000, signal);
    };
    return {
      ...inner,
      request: async (request) => {
        if (request.method !== 'GET') await sleep(clock, random.next() * maxLatencyMs, request.signal);
        if (this.isPartitioned) await open(request.signal);
        return inner.request(request);
      },
      watch: async (request) => {
        if (this.isPartitioned) await open(request.signal);
        const stream = await inner.watch(request);
        const { status, headers, warnings } = stream;
        const isCut = () => this.isPartitioned;
        async function* events() {
          for await (const event of stream) {
            if (isCut()) await open(request.signal);
            yield event;
          }
        }
        return { status, headers, warnings, close: () => stream.close(), [Symbol.asyncIterator]: events };
      },
      stream: (request) => inner.stream(request),
      close: () => inner.close(),
    };
  }

  /** Kills the process at a write, if a fault says so. */
  private crashing(inner: Transport, process: SimulatedProcess): Transport {
    return {
      ...inner,
      request: async (request) => {
        if (process.killed) return new Promise(() => {});
        this.requests++;
        if (request.method === 'GET') return inner.request(request);
        this.writes.push(`${request.method} ${request.path}`);
        const when = this.crashNow();
        if (when === 'before') {
          this.crash(process);
          return new Promise(() => {});
        }
        const answer = inner.request(request);
        if (when === undefined) return answer;
        await answer.catch(() => undefined);
        if (!process.killed) this.crash(process);
        return new Promise(() => {});
      },
    };
  }

  private crashNow(): 'before' | 'after' | undefined {
    const { crashes, schedule, history } = this.parts;
    const planned = crashes.find(
      ({ component, write }) => write === this.writes.length && (component ?? this.name) === this.name,
    );
    if (planned) {
      history.note(this.name, `fault: crash ${planned.when} write ${planned.write}`);
      return planned.when;
    }
    const fault = schedule.decide(this.name, 'write', writeFaults, this.rates);
    if (!fault || this.crashes >= maxCrashes) return undefined;
    this.strike(fault);
    return fault.fault === 'crashBefore' ? 'before' : 'after';
  }
}
