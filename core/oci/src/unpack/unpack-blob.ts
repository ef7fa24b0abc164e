import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { isStoreError, StoreError } from '../store-error.ts';
import { decompress } from './decompress.ts';
import type { LayersProgram, UnpackResult } from './layers-program.ts';

/** Bounds of a layer. Archives that expand further are refused before they fill the disk. */
export interface LayerLimits {
  readonly maxBytes: number;
  readonly maxEntries: number;
  /** How many times its compressed size a layer may have, once it is larger than `freeBytes`. */
  readonly maxRatio: number;
  readonly freeBytes: number;
}

export const defaultLayerLimits: LayerLimits = {
  maxBytes: 64 * 1024 ** 3,
  maxEntries: 2_000_000,
  maxRatio: 200,
  freeBytes: 512 * 1024 ** 2,
};

export interface UnpackRequest {
  /** The blob: a tar archive, plain or compressed. */
  readonly file: string;
  /** Of the uncompressed archive: `sha256:…`. */
  readonly diffId: string;
  /** Exists, and is empty. */
  readonly folder: string;
  readonly limits: LayerLimits;
  /** Called with the number of uncompressed bytes so far. */
  readonly onBytes?: (bytes: number) => void;
  readonly signal?: AbortSignal;
}

/** Unpacks a layer, and checks the digest of its archive on the way. After an error the folder holds a part of it. */
export async function unpackBlob(program: LayersProgram, request: UnpackRequest): Promise<UnpackResult> {
  const { file, diffId, folder, limits, onBytes, signal } = request;
  const { size } = await stat(file);
  const max = Math.min(limits.maxBytes, Math.max(limits.freeBytes, size * limits.maxRatio));
  const hash = createHash('sha256');
  let bytes = 0;
  const feed = async (input: Writable) => {
    const closed = once(input, 'close').catch(() => undefined);
    const content = await decompress(file);
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        signal?.throwIfAborted();
        bytes += chunk.length;
        if (bytes > max) throw new StoreError('TOO_LARGE', `the layer ${diffId} expands to more than ${max} bytes`);
        hash.update(chunk);
        if (!input.write(chunk)) await Promise.race([once(input, 'drain'), closed]);
        if (input.destroyed) return;
        onBytes?.(bytes);
      }
    } catch (error) {
      throw isStoreError(error) || signal?.aborted ? error : unreadable(diffId, error as Error);
    }
    input.end();
  };
  const result = await program.unpack(folder, limits.maxEntries, feed);
  const found = `sha256:${hash.digest('hex')}`;
  if (found !== diffId)
    throw new StoreError('DIGEST_MISMATCH', `the layer unpacks to ${found}, and its image names ${diffId}`);
  return result;
}

function unreadable(diffId: string, cause: Error): StoreError {
  return new StoreError('UNSAFE_LAYER', `the layer ${diffId} cannot be decompressed: ${cause.message}`, { cause });
}
