import type { Http2ServerRequest } from 'node:http2';
import { requestEntityTooLargeError, StatusError, systemClock, tooManyRequestsError } from '@tektite/meta';

/** Larger bodies are refused, as upstream does. */
const maxBodyBytes = 3 * 1024 * 1024;
/** How much of a refused body is still read, so that its sender sees the answer; beyond that the connection is cut. */
const maxRefusedBytes = 32 * 1024 * 1024;
/** So much is taken of anybody. Who sends more has to be somebody who may. */
const maxUnasked = 64 * 1024;
/** All bodies that are on their way. */
const maxTogether = 256 * 1024 * 1024;
/** A body that is not there by then does not come. */
const patienceMs = 60_000;

/** Reads the bodies of requests. What strangers send, or send slowly, costs little. */
export class BodyReader {
  private held = 0;

  /**
   * The body, if there is one. `admit` is asked once there is much of it. Events instead of async iteration: this runs for every
   * request.
   */
  read(request: Http2ServerRequest, admit: () => Promise<void> | undefined): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let over = false;
      let timer: Disposable | undefined;
      const finish = () => {
        over = true;
        this.held -= size;
        timer?.[Symbol.dispose]();
        request.off('data', onData);
      };
      const fail = (error: unknown) => {
        if (over) return;
        finish();
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
        this.held += chunk.length;
        if (size > maxBodyBytes) return refuse(tooLarge());
        if (this.held > maxTogether)
          return refuse(tooManyRequestsError('Too many requests, please try again later.', 1));
        chunks.push(chunk);
        timer ??= systemClock.setTimer(patienceMs, () => refuse(tooSlow()));
        if (size > maxUnasked && before <= maxUnasked) askFirst();
      };
      const askFirst = () => {
        const admitted = admit();
        if (!admitted) return;
        request.pause();
        admitted.then(() => {
          if (!over) request.resume();
        }, refuse);
      };
      if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return refuse(tooLarge());
      request.on('data', onData);
      request.once('error', fail);
      request.once('aborted', () => fail(new Error('the client went away')));
      request.once('end', () => {
        if (over) return;
        finish();
        resolve(size === 0 ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      });
    });
  }
}

function tooLarge(): StatusError {
  return requestEntityTooLargeError(`Request entity too large: limit is ${maxBodyBytes}`);
}

function tooSlow(): StatusError {
  const message = `the body of the request did not come within ${patienceMs / 1000} s`;
  return new StatusError({ code: 408, reason: 'Timeout', message });
}

function discard(request: Http2ServerRequest): void {
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxRefusedBytes) request.destroy();
  });
  request.resume();
}
