import type { Clock } from '@tektite/meta';

/** Does a piece of work when it is the client's turn. */
export type InTurn = <T>(work: () => T) => Promise<T>;

interface Piece {
  readonly run: () => void;
  /** Ends the turn, because its work happens after `run` has returned. */
  readonly alone: boolean;
}

/** Pieces run for at most about this long before other connections are served. */
const maxTurnMs = 4;

/**
 * Shares the event loop: between long work and short requests, and between the clients that cause long work. Long work is cut into
 * pieces. Clients take turns, and the pieces of one client run in the order of their arrival; after some milliseconds of them,
 * everything else that is ready is served.
 */
export class Turns {
  private readonly clock: Clock;
  /** The pieces of each client, in the order in which clients have their turn. */
  private readonly byClient = new Map<string, Piece[]>();
  private scheduled = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Does a short piece of long work in one of the next turns. */
  do<T>(client: string, piece: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        try {
          resolve(piece());
        } catch (error) {
          reject(error as Error);
        }
      };
      this.add(client, { run, alone: false });
    });
  }

  /** Resolves at the end of a turn, for work that cannot be cut. */
  wait(client: string): Promise<void> {
    return new Promise((resolve) => this.add(client, { run: resolve, alone: true }));
  }

  private add(client: string, piece: Piece): void {
    const pieces = this.byClient.get(client);
    if (pieces) pieces.push(piece);
    else this.byClient.set(client, [piece]);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.byClient.size === 0) return;
    this.scheduled = true;
    setImmediate(this.turn);
  }

  private readonly turn = (): void => {
    const end = this.clock.monotonic() + maxTurnMs;
    this.scheduled = false;
    for (let next = this.next(); next; next = this.next()) {
      next.run();
      if (next.alone || this.clock.monotonic() > end) break;
    }
    this.schedule();
  };

  /** The first piece of the client whose turn it is; the client then comes last. */
  private next(): Piece | undefined {
    for (const [client, pieces] of this.byClient) {
      const piece = pieces.shift();
      this.byClient.delete(client);
      if (pieces.length > 0) this.byClient.set(client, pieces);
      return piece;
    }
    return undefined;
  }
}
