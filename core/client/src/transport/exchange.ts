import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** An answer that has come in whole. */
export interface WholeAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends a request, and gives its answer when all of it is there. undici itself makes a stream of every answer, which costs more
 * than most answers do: those of an API server are short.
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new Exchange(signal, resolve, reject));
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  private readonly signal: AbortSignal;
  private readonly resolve: (answer: WholeAnswer) => void;
  private readonly reject: (error: Error) => void;
  private readonly chunks: Buffer[] = [];
  private controller: Dispatcher.DispatchController | undefined;
  private statusCode = 0;
  private headers: IncomingHttpHeaders = {};
  private readonly abort = () => {
    const reason = this.signal.reason as Error;
    // A request that is still queued has no controller and is rejected here.
    if (this.controller) this.controller.abort(reason);
    else this.fail(reason);
  };

  constructor(signal: AbortSignal, resolve: (answer: WholeAnswer) => void, reject: (error: Error) => void) {
    this.signal = signal;
    this.resolve = resolve;
    this.reject = reject;
    signal.addEventListener('abort', this.abort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.signal.aborted) this.abort();
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    this.statusCode = statusCode;
    this.headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.signal.removeEventListener('abort', this.abort);
    const [first, ...more] = this.chunks;
    const whole = more.length === 0 ? first : Buffer.concat(this.chunks);
    this.resolve({ statusCode: this.statusCode, headers: this.headers, text: whole?.toString('utf8') ?? '' });
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.fail(error);
  }

  private fail(error: Error): void {
    this.signal.removeEventListener('abort', this.abort);
    this.reject(error);
  }
}
