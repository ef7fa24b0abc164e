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

/** Takes the messages out of a stream of bytes. Parts are put together once they are a message, however small they come. */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>, encoding: string): AsyncIterable<Buffer> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let wanted = headBytes;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    while (size >= wanted) {
      const bytes = Buffer.concat(parts);
      const end = headBytes + messageLength(bytes, encoding);
      const isWhole = size >= end;
      if (isWhole) yield bytes.subarray(headBytes, end);
      const rest = isWhole ? bytes.subarray(end) : bytes;
      [parts, size, wanted] = [[rest], rest.length, isWhole ? headBytes : end];
    }
  }
  if (size > 0) throw new ApiError(codes.internal, 'unexpected EOF');
}

function messageLength(bytes: Buffer, encoding: string): number {
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
