import type { Readable } from 'node:stream';
import type { ExecRequest, OutputStream } from './pod-runtime.ts';

/** Hands on what a program prints, no faster than it is taken. */
export function forwardOutput(from: Readable | null, stream: OutputStream, onOutput: ExecRequest['onOutput']): void {
  from?.on('data', (chunk: Buffer) => {
    const taken = onOutput(stream, chunk);
    if (!taken) return;
    from.pause();
    void taken.finally(() => from.resume());
  });
}
