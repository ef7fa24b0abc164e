/** The configured size of a priority level. */
export interface LevelLimits {
  /** Requests that may run at once, whatever other levels do. */
  readonly nominal: number;
  /** How many of these other levels may use while they are free. */
  readonly lendable: number;
  /** How many seats of other levels this one may use. */
  readonly borrowable: number;
  /** Requests beyond the limit wait in queues of this size; without queues they are denied. */
  readonly queues?: { readonly perFlow: number; readonly total: number };
}

interface Waiting {
  readonly flow: string;
  start(): void;
}

/** The requests of one priority level: those that run, and those that wait, by flow. */
export class PriorityLevel {
  limits: LevelLimits;
  running = 0;
  private waitingCount = 0;
  /** In the order in which flows get their turns. */
  private readonly flows = new Map<string, Waiting[]>();

  constructor(limits: LevelLimits) {
    this.limits = limits;
  }

  get waiting(): number {
    return this.waitingCount;
  }

  /** Seats that other levels may use now. */
  get lent(): number {
    return Math.min(this.limits.lendable, Math.max(0, this.limits.nominal - this.running));
  }

  get borrowed(): number {
    return Math.max(0, this.running - this.limits.nominal);
  }

  hasRoomFor(flow: string): boolean {
    const { queues } = this.limits;
    return (
      queues !== undefined && this.waitingCount < queues.total && (this.flows.get(flow)?.length ?? 0) < queues.perFlow
    );
  }

  /** Puts a request in the queue of its flow. The returned function takes it out again. */
  enqueue(flow: string, start: () => void): () => void {
    const entry: Waiting = { flow, start };
    const queue = this.flows.get(flow);
    if (queue) queue.push(entry);
    else this.flows.set(flow, [entry]);
    this.waitingCount++;
    return () => this.remove(entry);
  }

  /** Starts the request whose turn it is. Flows take turns, so that many requests of one do not delay another. */
  startNext(): void {
    const [next] = this.flows;
    if (!next) return;
    const [flow, queue] = next;
    const entry = queue.shift();
    this.flows.delete(flow);
    if (queue.length > 0) this.flows.set(flow, queue);
    if (!entry) return;
    this.waitingCount--;
    this.running++;
    entry.start();
  }

  private remove(entry: Waiting): void {
    const queue = this.flows.get(entry.flow);
    const index = queue?.indexOf(entry) ?? -1;
    if (!queue || index < 0) return;
    queue.splice(index, 1);
    this.waitingCount--;
    if (queue.length === 0) this.flows.delete(entry.flow);
  }
}
