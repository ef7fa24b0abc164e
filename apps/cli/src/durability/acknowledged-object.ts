import { isStatusError } from '@tektite/meta';

/** The mark in an object, or `undefined` where there is no object. No two writes have the same mark. */
export type Mark = string | undefined;

/**
 * The knowledge of an object's only writer. A write is acknowledged, or its answer never came: then the object is as before it
 * or as after it, and the next read decides which.
 */
export class AcknowledgedObject {
  readonly name: string;
  /** All marks in the order of their writes, as far as they are known to have taken effect. A deletion is `undefined`. */
  readonly history: Mark[] = [];
  private unanswered: { readonly mark: Mark } | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get mark(): Mark {
    return this.history.at(-1);
  }

  /** Writes, and says whether an answer came. An error of the API is an error of the test, since the object has no other writer. */
  async write(mark: Mark, request: () => Promise<unknown>): Promise<boolean> {
    try {
      await request();
      this.history.push(mark);
      return true;
    } catch (error) {
      if (isStatusError(error) && error.status.code !== 503) throw error;
      this.unanswered = { mark };
      return false;
    }
  }

  /** Takes what the server says after a restart. Returns why that cannot be, if it cannot. */
  observe(mark: Mark): string | undefined {
    const { unanswered } = this;
    this.unanswered = undefined;
    if (mark === this.mark) return undefined;
    const before = this.mark;
    this.history.push(mark);
    if (unanswered && unanswered.mark === mark) return undefined;
    return `${this.name} is ${mark}, was acknowledged as ${before}${unanswered ? `, unanswered ${unanswered.mark}` : ''}`;
  }
}
