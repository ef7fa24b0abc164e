import type { IncomingRequest } from './connection.ts';
import { requestEntityTooLargeError, StatusError, systemClock, tooManyRequestsError } from '@tektite/meta';

/** Larger bodies are denied, as upstream does. */
const maxBodyBytes = 3 * 1024 * 1024;
/** How much of a denied body is still read, so that its sender sees the answer; beyond that the connection is cut. */
const maxRefusedBytes = 32 * 1024 * 1024;
/** So much is read of any client; for more, it must be authorized. */
const maxUnasked = 64 * 1024;
const maxUserShare = 0.75;
/** A body that is not complete by then is given up. */
const patienceMs = 60_000;

/** The body of a request, which counts as held until it is disposed. */
export interface RequestBody extends Disposable {
  readonly bytes?: Uint8Array;
}

const noBody: RequestBody = { [Symbol.dispose]: () => undefined };

/** Reads the bodies of requests, all of which together are bounded. Bodies of unauthorized or slow clients cost little. */
export class BodyReader {
  private held = 0;
  private readonly heldByUser = new Map<string, number>();
  private readonly maxHeld: number;

  constructor(maxHeld: number) {
    this.maxHeld = maxHeld;
  }

  /**
   * The body, if there is one. `admit` is called once there is much of it, and resolves with the user in whose share it counts
   * from then on. Events instead of async iteration: this runs for every request.
   */
  read(request: IncomingRequest, admit: () => Promise<string>): Promise<RequestBody> {
    if ('hasBody' in request && !request.hasBody) return Promise.resolve(noBody);
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let over = false;
      let timer: Disposable | undefined;
      let user: string | undefined;
      const finish = () => {
        over = true;
        timer?.[Symbol.dispose]();
        request.off('data', onData);
      };
      const fail = (error: unknown) => {
        if (over) return;
        finish();
        this.release(size, user);
        reject(error as Error);
      };
      const refuse = (error: unknown) => {
        if (over) return;
        discard(request);
        fail(error);
      };
      const onData = (chunk: Buffer) => {
        const before = size;
        size += chunk.length;
        this.hold(chunk.length, user);
        if (size > maxBodyBytes) return refuse(tooLarge());
        if (this.isFull(user)) return refuse(tooManyRequestsError('Too many requests, please try again later.', 1));
        chunks.push(chunk);
        timer ??= systemClock.setTimer(patienceMs, () => refuse(tooSlow()));
        if (size > maxUnasked && before <= maxUnasked) askFirst();
      };
      const askFirst = () => {
        request.pause();
        admit().then((name) => {
          if (over) return;
          user = name;
          this.heldByUser.set(user, (this.heldByUser.get(user) ?? 0) + size);
          request.resume();
        }, refuse);
      };
      if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return refuse(tooLarge());
      request.on('data', onData);
      request.once('error', fail);
      request.once('aborted', () => fail(new Error('the client closed the connection')));
      request.once('end', () => {
        if (over) return;
        finish();
        if (size === 0) return resolve(noBody);
        const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
        resolve({ bytes, [Symbol.dispose]: () => this.release(size, user) });
      });
    });
  }

  private hold(bytes: number, user: string | undefined): void {
    this.held += bytes;
    if (user !== undefined) this.heldByUser.set(user, (this.heldByUser.get(user) ?? 0) + bytes);
  }

  private release(bytes: number, user: string | undefined): void {
    this.held -= bytes;
    if (user === undefined) return;
    const left = (this.heldByUser.get(user) ?? 0) - bytes;
    if (left > 0) this.heldByUser.set(user, left);
    else this.heldByUser.delete(user);
  }

  /** The large bodies of one user leave a quarter to the others. */
  private isFull(user: string | undefined): boolean {
    if (this.held > this.maxHeld) return true;
    return user !== undefined && (this.heldByUser.get(user) ?? 0) > this.maxHeld * maxUserShare;
  }
}

function tooLarge(): StatusError {
  return requestEntityTooLargeError(`Request entity too large: limit is ${maxBodyBytes}`);
}

function tooSlow(): StatusError {
  const message = `the body of the request did not come within ${patienceMs / 1000} s`;
  return new StatusError({ code: 408, reason: 'Timeout', message });
}

function discard(request: IncomingRequest): void {
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxRefusedBytes) request.destroy();
  });
  request.resume();
}
