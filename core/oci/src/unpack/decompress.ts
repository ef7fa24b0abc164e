import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { StoreError } from '../store-error.ts';

const chunkSize = 1024 * 1024;

type Compression = 'gzip' | 'zstd' | 'none';

/** Node has it since 22.15. */
const createZstdDecompress = (zlib as { createZstdDecompress?: (options: { chunkSize: number }) => zlib.Gunzip })
  .createZstdDecompress;

/** The content of a blob, uncompressed. The first bytes decide, since registries hold layers under wrong media types. */
export async function decompress(file: string): Promise<Readable> {
  const source = createReadStream(file, { highWaterMark: chunkSize });
  switch (await compressionOf(file)) {
    case 'gzip':
      return piped(source, zlib.createGunzip({ chunkSize }));
    case 'zstd':
      return createZstdDecompress ? piped(source, createZstdDecompress({ chunkSize })) : zstdProgram(source);
    default:
      return source;
  }
}

async function compressionOf(file: string): Promise<Compression> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  if (bytesRead >= 2 && buffer[0] === 0x1f && buffer[1] === 0x8b) return 'gzip';
  return bytesRead === 4 && buffer.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : 'none';
}

function piped(source: Readable, target: zlib.Gunzip): Readable {
  source.on('error', (error) => target.destroy(error));
  target.on('close', () => source.destroy());
  return source.pipe(target);
}

function zstdProgram(source: Readable): Readable {
  const child = spawn('zstd', ['--decompress', '--stdout', '--quiet'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const { stdin, stdout } = child;
  child.once('error', (cause) =>
    stdout.destroy(
      new StoreError(
        'UNSUPPORTED_COMPRESSION',
        'the layer is compressed with zstd: install the program zstd, or use Node.js 22.15 or newer',
        { cause },
      ),
    ),
  );
  // A stream that was cut ends like one that is complete; the exit code differs.
  child.once('exit', (code) => {
    if (code !== 0) stdout.destroy(new StoreError('UNSAFE_LAYER', 'the layer is not a complete zstd stream'));
  });
  stdin.on('error', () => undefined);
  source.on('error', (error) => stdout.destroy(error));
  stdout.on('close', () => child.kill());
  source.pipe(stdin);
  return stdout;
}
