import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';

const blockSize = 512;
const maxNameLength = 4096;

/**
 * Unpacks a layer (tar, plain or gzip) into a folder. Only folders and plain files: links and devices have no place in a
 * bundle, and are refused (or links skipped, if asked for), as are names that lead elsewhere. Sizes are bounded, also of what is packed well.
 */
export async function unpackLayer(
  file: string,
  folder: string,
  maxBytes: number,
  options: { readonly skipLinks?: boolean } = {},
): Promise<readonly string[]> {
  const written: string[] = [];
  const reader = new BlockReader(await contentOf(file), maxBytes);
  let longName: string | undefined;
  for (let header = await reader.take(blockSize); header && !isZero(header); header = await reader.take(blockSize)) {
    const size = readOctal(header.subarray(124, 136));
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'L' || type === 'x' || type === 'g') {
      if (size > 64 * 1024) throw new Error(`${file}: a name is too long`);
      const body = await reader.takePadded(size);
      if (type === 'L') longName = textOf(body);
      else if (type === 'x') longName = paxPath(body) ?? longName;
      continue;
    }
    const name = checkedName(longName ?? headerName(header), file);
    longName = undefined;
    if (type === '5') {
      await mkdir(join(folder, name), { recursive: true });
      continue;
    }
    if ((type === '1' || type === '2') && options.skipLinks) continue;
    if (type !== '0' && type !== '\0') throw new Error(`${file}: ${name} is neither a file nor a folder`);
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await using out = await open(path, 'w', 0o644);
    await reader.copyPadded(size, out);
    written.push(name);
  }
  return written;
}

async function contentOf(file: string): Promise<AsyncIterable<Uint8Array>> {
  await using handle = await open(file);
  const magic = Buffer.alloc(2);
  await handle.read(magic, 0, 2, 0);
  const stream = createReadStream(file);
  if (magic[0] !== 0x1f || magic[1] !== 0x8b) return stream;
  const gunzip = createGunzip();
  stream.on('error', (error) => gunzip.destroy(error));
  return stream.pipe(gunzip);
}

/** Blocks out of chunks of any size. */
class BlockReader {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private readonly maxBytes: number;
  private rest: Uint8Array = new Uint8Array(0);
  private total = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, maxBytes: number) {
    this.chunks = chunks[Symbol.asyncIterator]();
    this.maxBytes = maxBytes;
  }

  /** Exactly so many bytes; undefined at the end. */
  async take(size: number): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = [];
    let have = 0;
    while (have < size) {
      const part = await this.some(size - have);
      if (!part) {
        if (have === 0) return undefined;
        throw new Error('the archive ends in the middle');
      }
      parts.push(part);
      have += part.length;
    }
    return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
  }

  async takePadded(size: number): Promise<Uint8Array> {
    const body = size === 0 ? new Uint8Array(0) : await this.take(size);
    await this.skipPadding(size);
    if (!body) throw new Error('the archive ends in the middle');
    return body;
  }

  async copyPadded(size: number, out: FileHandle): Promise<void> {
    for (let left = size; left > 0; ) {
      const part = await this.some(left);
      if (!part) throw new Error('the archive ends in the middle');
      await out.writeFile(part);
      left -= part.length;
    }
    await this.skipPadding(size);
  }

  private async skipPadding(size: number): Promise<void> {
    const padding = (blockSize - (size % blockSize)) % blockSize;
    if (padding > 0) await this.take(padding);
  }

  private async some(maxBytes: number): Promise<Uint8Array | undefined> {
    while (this.rest.length === 0) {
      const next = await this.chunks.next();
      if (next.done) return undefined;
      this.rest = next.value;
      this.total += next.value.length;
      if (this.total > this.maxBytes) throw new Error(`the archive is larger than ${this.maxBytes} bytes`);
    }
    const part = this.rest.subarray(0, maxBytes);
    this.rest = this.rest.subarray(part.length);
    return part;
  }
}

function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('utf8');
}

function readOctal(bytes: Uint8Array): number {
  const value = Number.parseInt(textOf(bytes).trim() || '0', 8);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error('the archive has a size that is no number');
  return value;
}

function headerName(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100));
  const prefix = textOf(header.subarray(257, 262)) === 'ustar' ? textOf(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** The path out of records of the form `27 path=some/where\n`. */
function paxPath(body: Uint8Array): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(Buffer.from(body).toString('utf8'))?.[1];
}

function checkedName(name: string, file: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || name.length > maxNameLength || parts.includes('..') || name.includes('\0'))
    throw new Error(`${file}: the name ${JSON.stringify(name.slice(0, 100))} leads out of its folder`);
  return parts.join('/') || '.';
}
