const blockSize = 512;
const maxName = 100;
const maxPrefix = 155;

/** An entry of an archive. Default: a plain file of root's that everyone reads, with no time. */
export interface TarEntry {
  readonly name: string;
  readonly type?: 'file' | 'folder' | 'symlink' | 'hardlink';
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  /** Of the content that follows. */
  readonly size?: number;
  /** The target of a link. */
  readonly target?: string;
}

const typeFlags = { file: '0', hardlink: '1', symlink: '2', folder: '5' } as const;

/** The header of an entry. Entries have no time, so that the same files give the same bytes. */
export function tarHeader(entry: TarEntry): Buffer {
  const { name, type = 'file', mode = 0o644, uid = 0, gid = 0, size = 0, target = '' } = entry;
  const block = Buffer.alloc(blockSize);
  const [prefix, last] = splitName(name);
  block.write(last, 0);
  writeNumber(block, mode, 100, 8);
  writeNumber(block, uid, 108, 8);
  writeNumber(block, gid, 116, 8);
  writeNumber(block, size, 124, 12);
  writeNumber(block, 0, 136, 12);
  block.write('        ', 148);
  block.write(typeFlags[type], 156);
  if (Buffer.byteLength(target) > maxName) throw new RangeError(`the target of ${name} is too long for an archive`);
  block.write(target, 157);
  block.write('ustar\x0000', 257, 'latin1');
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Content is filled up to whole blocks. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
}

export function tarEnd(): Buffer {
  return Buffer.alloc(2 * blockSize);
}

/** A whole entry with its content. */
export function* tarFile(name: string, content: Uint8Array): Generator<Uint8Array> {
  yield tarHeader({ name, size: content.length });
  yield content;
  yield tarPadding(content.length);
}

/** Longer names are divided at a slash, as ustar wants it. */
function splitName(name: string): readonly [string, string] {
  if (Buffer.byteLength(name) <= maxName) return ['', name];
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) {
    const [prefix, last] = [name.slice(0, at), name.slice(at + 1)];
    if (last !== '' && Buffer.byteLength(prefix) <= maxPrefix && Buffer.byteLength(last) <= maxName)
      return [prefix, last];
  }
  throw new RangeError(`the name ${name} is too long for an archive`);
}

/** Octal digits, or binary where these do not suffice. */
function writeNumber(block: Buffer, value: number, at: number, length: number): void {
  if (value < 8 ** (length - 1)) block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  else {
    block[at] = 0x80;
    block.writeBigUInt64BE(BigInt(value), at + length - 8);
  }
}
