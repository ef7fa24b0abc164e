import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';

/** Writes what comes into a file while it counts and hashes. When it is not what was promised, there is no file. */
export async function saveChecked(
  chunks: AsyncIterable<Uint8Array>,
  digest: string,
  file: string,
  maxBytes: number,
): Promise<void> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    await using out = await open(file, 'w', 0o600);
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`the blob ${digest} is larger than ${maxBytes} bytes`);
      hash.update(chunk);
      await out.writeFile(chunk);
    }
    const found = `sha256:${hash.digest('hex')}`;
    if (found !== digest)
      throw new Error(`error verifying sha256 checksum after reading ${size} bytes; got "${found}", want "${digest}"`);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}
