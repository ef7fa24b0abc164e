import type { ResponseHead, TransportStream } from '@tektite/client';
import { abortable } from './signals.ts';

/** Bytes that come as they are made. Who leaves, or is aborted, ends their making too. */
export function byteStream(
  head: ResponseHead,
  bytes: AsyncGenerator<Uint8Array>,
  life: AbortController,
  unlink: () => void,
): TransportStream<Uint8Array> {
  let left = false;
  const close = () => {
    left = true;
    unlink();
    life.abort(new Error('left'));
    bytes.return(undefined).catch(() => {});
  };
  const end: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };
  async function next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (left) return end;
    try {
      life.signal.throwIfAborted();
      const result = await abortable(bytes.next(), [life.signal]);
      if (!result.done) return result;
    } catch (error) {
      if (!left) {
        unlink();
        throw error;
      }
    }
    unlink();
    return end;
  }
  const iterator = {
    next,
    return: () => {
      close();
      return Promise.resolve(end);
    },
  };
  return { ...head, close, [Symbol.asyncIterator]: () => iterator };
}
