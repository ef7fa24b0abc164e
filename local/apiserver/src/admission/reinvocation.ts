import { cloneJson, equalJson } from '@tektite/meta';
import type { AdmissionRequest, MutationRound } from './admission.ts';

/**
 * Which of those who mutate a request are asked a second time: the ones that want to be, if the object was changed after
 * they were asked. Kept from the first round to the second.
 */
export class Reinvocation {
  private readonly asked = new Set<string>();
  private readonly again = new Set<string>();
  private output: unknown;
  private round: MutationRound;

  private constructor(round: MutationRound) {
    this.round = round;
  }

  /** Starts a round of the plugin of that name. */
  static begin(plugin: string, round: MutationRound, request: AdmissionRequest): Reinvocation {
    const known = round.memory.get(plugin) as Reinvocation | undefined;
    const reinvocation = known ?? new Reinvocation(round);
    reinvocation.round = round;
    round.memory.set(plugin, reinvocation);
    // Others, who run a second time too, may have changed what was made in the first round.
    if (round.isSecond && !equalJson(reinvocation.output, request.object)) reinvocation.askAgain();
    return reinvocation;
  }

  /** A webhook that was skipped in the first round is not called in the second. */
  mayAsk(id: string): boolean {
    return !this.round.isSecond || this.again.has(id);
  }

  wasAsked(id: string): void {
    this.asked.add(id);
  }

  /** The object changed: all earlier webhooks may be called again. */
  objectChanged(): void {
    this.askAgain();
    this.round.requestSecond();
  }

  end({ object }: AdmissionRequest): void {
    // Who is not there to be asked again need not know what changed.
    if (this.asked.size > 0) this.output = object && cloneJson(object);
  }

  private askAgain(): void {
    for (const id of this.asked) this.again.add(id);
    this.asked.clear();
  }
}
