import type { Socket } from 'node:net';

/** Passes on all bytes between two connections, until both have ended or one has failed. */
export function relay(one: Socket, other: Socket): void {
  for (const socket of [one, other]) socket.on('error', () => socket.destroy());
  one.pipe(other);
  other.pipe(one);
  one.once('close', () => endAfter(one, other));
  other.once('close', () => endAfter(other, one));
  if (one.destroyed) other.destroy();
}

/** The last bytes of a connection that has ended well may still be on their way. */
function endAfter(closed: Socket, other: Socket): void {
  if (closed.readableEnded && other.writableEnded && !other.writableFinished)
    other.once('finish', () => other.destroy());
  else other.destroy();
}
