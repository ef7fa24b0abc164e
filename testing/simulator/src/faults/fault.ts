import type { TransportFault } from '@tektite/testkit';

/** Faults of a process at one of its writes. */
export const writeFaults = [
  /** It is killed before the server sees the write. */
  'crashBefore',
  /** It is killed when the server has done the write, before it sees the answer. */
  'crashAfter',
] as const;

/** Faults of a process at any time. Each is considered every ten seconds. */
export const tickFaults = [
  /** It is killed, and starts again a moment later. */
  'kill',
  /** It reaches the server no more, for up to two minutes, and notices nothing at first. */
  'partition',
  /** It stands still, for up to a minute, as a machine that swaps. A leader may lose its Lease and not know. */
  'pause',
  /** Its wall clock is set forward or back, by up to a minute, until the faults end. */
  'jump',
] as const;

/** Acts of another user, on the kinds that a scenario allows. Each is considered every ten seconds. */
export const interferenceFaults = [
  /** Deletes an object. */
  'delete',
  /** Changes an annotation of an object, so that a writer of an older version conflicts. */
  'touch',
  /** Deletes an object and creates it again under the same name. */
  'replace',
  /** Allows no more Pods in the namespace of an object, for up to two minutes. */
  'quota',
] as const;

/** A webhook of the component does not answer. */
export const webhookFaults = ['webhookDown'] as const;

export type FaultKind =
  | TransportFault
  | (typeof writeFaults)[number]
  | (typeof tickFaults)[number]
  | (typeof interferenceFaults)[number]
  | (typeof webhookFaults)[number];

/** How often each fault strikes where it can: 0 never, 1 always. */
export type Rates = { readonly [fault in FaultKind]?: number };

/** A fault that struck: the nth time that the component came to this point. */
export interface Fault {
  readonly component: string;
  /** `PATCH deployments/status`, `event pods`, `write`, `tick`. */
  readonly point: string;
  readonly nth: number;
  readonly fault: FaultKind;
  /** How hard, from 0 to 1: the length of a delay or an outage. */
  readonly amount: number;
}

/** A bit of everything. */
export const standardRates: Rates = {
  delay: 0.06,
  refuse: 0.02,
  drop: 0.005,
  overload: 0.01,
  fail: 0.01,
  full: 0.005,
  conflict: 0.03,
  stale: 0.2,
  hang: 0.01,
  lose: 0.03,
  late: 0.04,
  cut: 0.02,
  expire: 0.01,
  stall: 0.005,
  lag: 0.1,
  repeat: 0.04,
  bookmark: 0.02,
  crashBefore: 0.012,
  crashAfter: 0.012,
  kill: 0.01,
  partition: 0.015,
  pause: 0.015,
  jump: 0.01,
  delete: 0.08,
  touch: 0.08,
  replace: 0.04,
  quota: 0.02,
  webhookDown: 0.03,
};

/** One line, as reports print it. */
export function describeFault({ component, point, nth, fault, amount }: Fault): string {
  return `${component}: ${fault} at ${point} #${nth + 1}${amount === 0 ? '' : ` (${amount.toFixed(2)})`}`;
}
