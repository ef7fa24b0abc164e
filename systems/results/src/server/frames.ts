import { ApiError, codes } from '../api/api-error.ts';

/** Larger messages are refused, as Go's servers do. */
const maxMessageBytes = 4 * 1024 * 1024;
const headBytes = 5;

/** A message as gRPC sends it: not compressed, its length, its bytes. */
export function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Takes the messages out of a stream of bytes. */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>, encoding: string): AsyncIterable<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    for (let length = messageLength(rest, encoding); length !== undefined; length = messageLength(rest, encoding)) {
      if (rest.length < headBytes + length) break;
      yield rest.subarray(headBytes, headBytes + length);
      rest = rest.subarray(headBytes + length);
    }
  }
  if (rest.length > 0) throw new ApiError(codes.internal, 'unexpected EOF');
}

function messageLength(bytes: Buffer, encoding: string): number | undefined {
  if (bytes.length < headBytes) return undefined;
  if (bytes[0] === 1)
    throw new ApiError(
      codes.unimplemented,
      `grpc: Decompressor is not installed for grpc-encoding ${JSON.stringify(encoding)}`,
    );
  if (bytes[0] !== 0) throw new ApiError(codes.internal, `grpc: received unexpected payload format ${bytes[0]}`);
  const length = bytes.readUInt32BE(1);
  if (length > maxMessageBytes)
    throw new ApiError(
      codes.resourceExhausted,
      `grpc: received message larger than max (${length} vs. ${maxMessageBytes})`,
    );
  return length;
}
