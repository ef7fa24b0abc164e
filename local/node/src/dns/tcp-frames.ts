import type { Socket } from 'node:net';

/** Messages of the domain name system over TCP, each with its length in front. Ends with the connection. */
export async function* readFrames(socket: Socket): AsyncGenerator<Buffer> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    pending = Buffer.concat([pending, chunk as Buffer]);
    while (pending.length >= 2) {
      const length = pending.readUInt16BE(0);
      if (pending.length < 2 + length) break;
      yield pending.subarray(2, 2 + length);
      pending = pending.subarray(2 + length);
    }
  }
}

export function writeFrame(socket: Socket, message: Buffer): void {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  socket.write(Buffer.concat([length, message]));
}
