import { derivedNumber } from '../seed/derived-random.ts';
import type { Fault, FaultKind, Rates } from './fault.ts';

export interface ScheduleOptions {
  readonly seed: number;
  readonly rates: Rates;
  /** Exactly these faults, instead of those that the seed chooses. */
  readonly faults?: readonly Fault[];
}

/**
 * Decides which faults strike. Each decision follows from the seed, the component, the point and how often the component was there,
 * and from nothing else; so the faults of a run can be listed, and the run repeated with a part of them.
 */
export class FaultSchedule {
  /** The faults that struck, in order. */
  readonly struck: Fault[] = [];
  /** How often each component came to each point. */
  readonly visits = new Map<string, number>();
  private readonly options: ScheduleOptions;
  private readonly chosen: ReadonlyMap<string, Fault> | undefined;
  private isHealed = false;

  constructor(options: ScheduleOptions) {
    this.options = options;
    this.chosen = options.faults && new Map(options.faults.map((fault) => [keyOf(fault), fault]));
  }

  /** The fault for this visit, if it is one of these kinds. It has not struck until `strike` is called. */
  decide(
    component: string,
    point: string,
    kinds: readonly FaultKind[],
    rates: Rates = this.options.rates,
  ): Fault | undefined {
    const place = `${component}|${point}`;
    const nth = this.visits.get(place) ?? 0;
    this.visits.set(place, nth + 1);
    if (this.isHealed) return undefined;
    if (this.chosen) {
      const fault = this.chosen.get(`${place}|${nth}`);
      return fault && kinds.includes(fault.fault) ? fault : undefined;
    }
    let rest = derivedNumber(this.options.seed, place, nth);
    for (const fault of kinds) {
      rest -= rates[fault] ?? 0;
      if (rest < 0) return { component, point, nth, fault, amount: amountOf(this.options.seed, place, nth) };
    }
    return undefined;
  }

  strike(fault: Fault): void {
    this.struck.push(fault);
  }

  /** No more faults. */
  heal(): void {
    this.isHealed = true;
  }
}

function keyOf({ component, point, nth }: Fault): string {
  return `${component}|${point}|${nth}`;
}

/** Two digits, so that a list of faults is short to print and to read. */
function amountOf(seed: number, place: string, nth: number): number {
  return Math.floor(derivedNumber(seed, place, nth, 'amount') * 100) / 100;
}
