import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Looks for damage in an LMDB file before LMDB itself opens it: LMDB trusts its file, so what is torn or overwritten ends
 * the process, or makes the rest of the data vanish without a word.
 *
 * Follows every page that can be reached and checks that it is where, and what, its parent says. The content of values is
 * the reader's business.
 *
 * @returns what is wrong, or `undefined` when nothing is
 */
export function findDamage(file: string): string | undefined {
  const descriptor = openSync(file, 'r');
  try {
    new PageWalk(descriptor, fstatSync(descriptor).size).walk();
    return undefined;
  } catch (error) {
    if (error instanceof Damage) return error.message;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

class Damage extends Error {}

/** A tree of pages, as the record of a database has it. */
interface Tree {
  readonly depth: number;
  readonly entries: bigint;
  readonly root: bigint;
}

interface Meta {
  readonly pageSize: number;
  readonly transaction: bigint;
  readonly trees: readonly Tree[];
}

const headerBytes = 24;
const treeBytes = 48;
const nodeBytes = 8;
const magic = 0xbeefc0de;
const dataVersion = 2;
const noPage = 2n ** 64n - 1n;

const isBranch = 0x01;
const isLeaf = 0x02;
const isOverflow = 0x04;
const isMeta = 0x08;
/** The value of the node is on pages of its own. */
const bigData = 0x01;
/** The value of the node is a tree. */
const subTree = 0x02;

class PageWalk {
  private readonly descriptor: number;
  private readonly size: number;
  private pageSize = 4096;
  private readonly seen = new Set<number>();

  constructor(descriptor: number, size: number) {
    this.descriptor = descriptor;
    this.size = size;
  }

  walk(): void {
    const first = this.readMeta(0);
    this.pageSize = first.pageSize;
    const second = this.readMeta(1);
    if (second.pageSize !== first.pageSize) throw new Damage('its two heads differ in the size of pages');
    const { trees } = second.transaction > first.transaction ? second : first;
    for (const tree of trees) this.walkTree(tree);
  }

  private readMeta(page: number): Meta {
    const bytes = this.read(page, page * this.pageSize, headerBytes + 8 + 16 + 2 * treeBytes + 16);
    if (bytes.readUInt16LE(18) !== isMeta || bytes.readUInt32LE(headerBytes) !== magic)
      throw new Damage('it is not a journal');
    if ((bytes.readUInt32LE(headerBytes + 4) & 0xffff) !== dataVersion)
      throw new Damage('it was written by another version of LMDB');
    const trees = headerBytes + 24;
    const pageSize = bytes.readUInt32LE(trees);
    if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0)
      throw new Damage(`its head names pages of ${pageSize} bytes`);
    return {
      pageSize,
      transaction: bytes.readBigUInt64LE(trees + 2 * treeBytes + 8),
      trees: [readTree(bytes, trees), readTree(bytes, trees + treeBytes)],
    };
  }

  private walkTree({ root, depth, entries }: Tree): void {
    if (root === noPage) {
      if (entries !== 0n) throw new Damage('an index has entries and no page');
      return;
    }
    if (depth < 1 || depth > 32) throw new Damage(`an index claims to be ${depth} pages deep`);
    const found = this.walkPage(pageNumber(root), depth);
    if (BigInt(found) !== entries) throw new Damage(`an index has ${found} entries instead of ${entries}`);
  }

  /** Checks a page and all below it; returns how many entries there are. */
  private walkPage(page: number, depth: number): number {
    const bytes = this.readPage(page, depth > 1 ? isBranch : isLeaf);
    const lower = bytes.readUInt16LE(20);
    const upper = bytes.readUInt16LE(22);
    const count = lower >> 1;
    if (lower % 2 !== 0 || lower > upper || headerBytes + upper > this.pageSize || count === 0)
      throw new Damage(`page ${page} is not laid out as a page`);
    let entries = 0;
    for (let index = 0; index < count; index++) {
      const at = bytes.readUInt16LE(headerBytes + 2 * index) + headerBytes;
      const fits = at >= headerBytes + upper && at + nodeBytes <= this.pageSize;
      if (!fits || at + nodeBytes + bytes.readUInt16LE(at + 6) > this.pageSize)
        throw new Damage(`page ${page} is not laid out as a page`);
      entries += depth > 1 ? this.walkPage(childOf(bytes, at), depth - 1) : this.checkValue(page, bytes, at);
    }
    return entries;
  }

  private checkValue(page: number, bytes: Buffer, at: number): number {
    const flags = bytes.readUInt16LE(at + 4);
    const size = bytes.readUInt32LE(at);
    const start = at + nodeBytes + bytes.readUInt16LE(at + 6);
    const inline = flags & bigData ? headerBytes : size;
    if (start + inline > this.pageSize) throw new Damage(`page ${page} is not laid out as a page`);
    if (flags & bigData) this.checkOverflow(bytes, start, size);
    else if (flags & subTree) {
      if (size !== treeBytes) throw new Damage(`page ${page} is not laid out as a page`);
      this.walkTree(readTree(bytes, start));
    }
    return 1;
  }

  /** A large value has a run of pages; only the first of them has a head. */
  private checkOverflow(bytes: Buffer, at: number, size: number): void {
    const page = pageNumber(bytes.readBigUInt64LE(at));
    const pages = Number(bytes.readBigUInt64LE(at + 16));
    this.readPage(page, isOverflow);
    if (size + headerBytes > pages * this.pageSize || (page + pages) * this.pageSize > this.size)
      throw new Damage(`it ends before page ${page + pages - 1}`);
  }

  private readPage(page: number, kind: number): Buffer {
    if (this.seen.has(page)) throw new Damage(`page ${page} is in use twice`);
    this.seen.add(page);
    const bytes = this.read(page, page * this.pageSize, this.pageSize);
    if (bytes.readBigUInt64LE(0) !== BigInt(page) || bytes.readUInt16LE(18) !== kind)
      throw new Damage(`page ${page} is not what it should be`);
    return bytes;
  }

  private read(page: number, at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    if (at + length > this.size || readSync(this.descriptor, bytes, 0, length, at) !== length)
      throw new Damage(`it ends before page ${page}`);
    return bytes;
  }
}

function readTree(bytes: Buffer, at: number): Tree {
  return {
    depth: bytes.readUInt16LE(at + 6),
    entries: bytes.readBigUInt64LE(at + 32),
    root: bytes.readBigUInt64LE(at + 40),
  };
}

function childOf(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt16LE(at + 4) * 2 ** 32;
}

/** Far-off numbers are found out when the page is read. */
function pageNumber(value: bigint): number {
  return value > 2n ** 40n ? 2 ** 40 : Number(value);
}
