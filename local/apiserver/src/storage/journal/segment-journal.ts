import { existsSync, ftruncateSync, mkdirSync, readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { type Random, systemRandom } from '@tektite/meta';
import { AcknowledgedPosition } from './acknowledged-position.ts';
import { chooseRun, type CleaningLimits, rewriteRun } from './clean-segments.ts';
import { damagedFile, FolderError } from './folder-error.ts';
import { FolderLock } from './folder-lock.ts';
import type {
  CompactionState,
  DroppedRecord,
  Journal,
  JournalReader,
  JournalRecord,
  StorageProblem,
} from './journal.ts';
import { loadSegments } from './load-segments.ts';
import {
  createSegment,
  listSegments,
  openSegment,
  type Segment,
  segmentPath,
  writeAll,
  writeDurably,
} from './segment.ts';
import { encodeCompacted, encodeRecords } from './segment-format.ts';
import { SpaceReserve } from './space-reserve.ts';

/** The name of the folder's format; another one is refused instead of misread. */
const format = 'tektite-journal-3';

/** Where every byte counts. */
const thorough = { minGarbage: 4096, minShare: 0 } as const;

export interface SegmentJournalOptions {
  /** A segment of this size is followed by the next. Default 8 MiB. */
  readonly segmentBytes?: number;
  /** Space kept for deletes on a full disk. Default 16 MiB. */
  readonly reserveBytes?: number;
  readonly random?: Random;
  /** Receives repairs and problems of the disk, in sentences. */
  readonly onNotice?: (text: string) => void;
  /** Receives a problem when it starts, and `undefined` when it has ended. */
  readonly onProblem?: (problem: StorageProblem | undefined) => void;
}

/**
 * A journal in files of our own: segments of checksummed frames that are only ever appended to.
 *
 * Guarantees
 * - A batch is one write to a file opened with O_DSYNC: durable when it returns, whole or not there after a crash.
 * - Everything read back is what was written. A damaged, cut, swapped or missing file is refused by its name.
 * - One process at a time, by a lock of the kernel, checked before every append.
 * - A failed write is cut off again, and a disk that recovers takes writes again without a restart.
 * - The space of dropped records is returned: at most about half of all segments but the newest is garbage.
 */
export class SegmentJournal implements Journal {
  problem: StorageProblem | undefined;
  private readonly folder: string;
  private readonly lock: FolderLock;
  private readonly acknowledged: AcknowledgedPosition;
  private readonly reserve: SpaceReserve;
  private readonly limits: CleaningLimits;
  private readonly random: Random;
  private readonly onNotice: (text: string) => void;
  private readonly onProblem: (problem: StorageProblem | undefined) => void;
  /** Oldest first; the last one takes appends while `tail` is open. */
  private segments: Segment[];
  private tail: FileHandle | undefined;
  private revision = 0;
  private compactedRevision = 0;
  /** Appends, compactions and new segments, one after the other. */
  private order: Promise<unknown> = Promise.resolve();
  private cleaning: Promise<void> | undefined;
  private reserving: Promise<unknown>;

  private constructor(folder: string, lock: FolderLock, segments: Segment[], options: SegmentJournalOptions) {
    this.folder = folder;
    this.lock = lock;
    this.segments = segments;
    this.random = options.random ?? systemRandom;
    this.onNotice = options.onNotice ?? (() => undefined);
    this.onProblem = options.onProblem ?? (() => undefined);
    this.limits = { segmentBytes: options.segmentBytes ?? 8 * 1024 ** 2, minGarbage: 64 * 1024, minShare: 0.5 };
    this.acknowledged = new AcknowledgedPosition(folder);
    this.reserve = new SpaceReserve(folder, options.reserveBytes ?? 16 * 1024 ** 2);
    this.reserving = this.holdReserve();
  }

  /** Opens or creates the journal in that folder. Throws a FolderError when another process has it, or it cannot be read. */
  static async open(folder: string, options: SegmentJournalOptions = {}): Promise<SegmentJournal> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = await FolderLock.take(folder);
    try {
      checkFormat(folder);
      const segments = listSegments(folder);
      const marker = join(folder, 'format');
      if (segments.length === 0) {
        if (readFormat(marker) !== undefined) throw damagedFile(segmentPath(folder, 1), 'it is missing');
        const storeId = Buffer.from((options.random ?? systemRandom).bytes(16));
        const header = { storeId, firstRevision: 1, compactedRevision: 0, previousLength: 0 };
        const { segment, handle } = await createSegment(folder, header);
        await handle.close();
        segments.push(segment);
      }
      // From now on a journal that is missing is a loss, not a new folder.
      if (readFormat(marker) === undefined) writeDurably(marker, `${format}\n`);
      return new SegmentJournal(folder, lock, segments, options);
    } catch (error) {
      await lock.release();
      if (isSpaceError(error))
        throw new FolderError(`no space left on ${folder}. Make room, or choose another folder with --data-dir.`);
      throw error;
    }
  }

  load(reader: JournalReader): number {
    const compacted = (revision: number) => {
      if (revision <= this.compactedRevision) return;
      this.compactedRevision = revision;
      reader.compacted(revision);
    };
    const record: JournalReader['record'] = (...read) => reader.record(...read);
    const position = AcknowledgedPosition.read(this.folder);
    const loaded = loadSegments(this.segments, position, { compacted, record }, this.onNotice);
    this.segments = loaded.segments;
    this.revision = loaded.revision;
    return loaded.revision;
  }

  append(records: readonly JournalRecord[]): Promise<readonly number[]> {
    return this.inOrder(async () => {
      const last = records.at(-1);
      if (!last) return [];
      const { frame, bytes } = encodeRecords(records);
      const isFreeing = records.every(freesSpace);
      const segment = await this.withReserve(isFreeing, () => this.write(frame));
      segment.kept += bytes.reduce((sum, each) => sum + each, 0);
      this.acknowledged.set({ segment: segment.first, length: segment.length });
      this.revision = last.revision;
      return bytes;
    });
  }

  async compact(dropped: readonly DroppedRecord[], state: CompactionState): Promise<void> {
    await this.inOrder(() => this.recordCompaction(dropped, state));
    // A failure was reported; the next compaction tries again.
    this.cleaning ??= this.clean(state, this.limits)
      .catch(() => undefined)
      .then(() => (this.problem?.kind === 'full' ? this.holdReserve() : undefined))
      .finally(() => (this.cleaning = undefined));
  }

  async makeRoom(dropped: readonly DroppedRecord[], state: CompactionState): Promise<void> {
    try {
      await this.inOrder(() => this.withReserve(true, () => this.recordCompaction(dropped, state)));
      await this.cleaning;
      await this.clean(state, { ...this.limits, ...thorough });
    } catch (error) {
      if (!isSpaceError(error)) this.onNotice(`no space could be made on ${this.folder}: ${(error as Error).message}`);
    }
    await (this.reserving = this.holdReserve());
  }

  /** Waits until no garbage is left that is worth a rewrite. For compaction without a server. */
  async cleanAll(state: CompactionState): Promise<void> {
    await this.compact([], state);
    await this.cleaning;
    await this.inOrder(() => this.startSegment());
    await this.clean(state, { ...this.limits, ...thorough });
  }

  /** Bytes of all segments. */
  get size(): number {
    return this.segments.reduce((sum, { length }) => sum + length, 0);
  }

  async close(): Promise<void> {
    await this.order;
    await this.cleaning;
    await this.reserving;
    this.acknowledged.close();
    await this.tail?.close();
    await this.lock.release();
  }

  private inOrder<T>(action: () => Promise<T>): Promise<T> {
    const result = this.order.then(action);
    this.order = result.catch(() => undefined);
    return result;
  }

  private async recordCompaction(dropped: readonly DroppedRecord[], state: CompactionState): Promise<void> {
    const { compactedRevision } = state;
    if (compactedRevision > this.compactedRevision) {
      await this.write(encodeCompacted(compactedRevision));
      this.compactedRevision = compactedRevision;
    }
    for (const { revision, bytes } of dropped) {
      const segment = this.segments.findLast(({ first }) => first <= revision);
      if (segment) segment.kept = Math.max(0, segment.kept - bytes);
    }
    const tail = this.segments.at(-1) as Segment;
    // The newest segment is cleaned only when it is no longer the newest.
    if (tail.length - tail.kept >= this.limits.segmentBytes / 4 && tail.length >= tail.kept * 2)
      await this.startSegment();
  }

  /** Appends a frame to the newest segment; returns the segment. */
  private async write(frame: Buffer): Promise<Segment> {
    this.checkFolder();
    const newest = this.segments.at(-1) as Segment;
    if (newest.length >= this.limits.segmentBytes || newest.header.sealed) await this.startSegment();
    const segment = this.segments.at(-1) as Segment;
    this.tail ??= await openSegment(segment);
    try {
      await writeAll(this.tail, frame, segment.length);
    } catch (error) {
      await this.cutTail(segment, error);
      throw error;
    }
    segment.length += frame.length;
    return segment;
  }

  /** Takes back what a failed write left. A disk that failed otherwise than by lack of space gets a fresh file. */
  private async cutTail(segment: Segment, error: unknown): Promise<void> {
    try {
      ftruncateSync((this.tail as FileHandle).fd, segment.length);
      if (isSpaceError(error)) return;
    } catch {
      // The next segment says where this one ends.
    }
    await this.tail?.close().catch(() => undefined);
    this.tail = undefined;
    await this.startSegment().catch(() => undefined);
  }

  private async startSegment(): Promise<void> {
    const previous = this.segments.at(-1) as Segment;
    const firstRevision = this.revision + 1;
    const isEmpty = previous.first === firstRevision;
    if (isEmpty && this.tail) return;
    const { storeId } = previous.header;
    const previousLength = isEmpty ? previous.header.previousLength : previous.length;
    const { compactedRevision } = this;
    const created = await createSegment(this.folder, { storeId, firstRevision, compactedRevision, previousLength });
    await this.tail?.close().catch(() => undefined);
    if (isEmpty) this.segments.pop();
    this.segments.push(created.segment);
    this.tail = created.handle;
  }

  /** Rewrites runs of segments until none is worth it. */
  private async clean(state: CompactionState, limits: CleaningLimits): Promise<void> {
    const isOpen = (segment: Segment) => segment === this.segments.at(-1);
    for (;;) {
      const run = chooseRun(
        this.segments.filter((segment) => !isOpen(segment)),
        limits,
      );
      const [first] = run ?? [];
      if (!run || !first || !this.lock.isHeld()) return;
      const index = this.segments.indexOf(first);
      const next = this.segments[index + run.length] as Segment;
      try {
        const cleaned = await this.withReserve(true, () => rewriteRun(run, next.first - 1, state));
        this.segments.splice(this.segments.indexOf(first), run.length, cleaned);
      } catch (error) {
        this.onNotice(`space could not be returned: ${(error as Error).message}`);
        if (isSpaceError(error)) throw error;
        return;
      }
    }
  }

  /** Runs a write that frees space: on a full disk it may use the reserve. */
  private async withReserve<T>(isFreeing: boolean, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!isSpaceError(error)) throw error;
      this.setFull();
      if (!isFreeing || !this.reserve.isHeld) throw error;
      this.reserve.release();
      return await write();
    }
  }

  private async holdReserve(): Promise<void> {
    if (await this.reserve.hold((bytes) => this.random.bytes(bytes))) {
      if (this.problem?.kind !== 'full') return;
      this.problem = undefined;
      this.onProblem(undefined);
      this.onNotice(`there is space on ${this.folder} again`);
    } else this.setFull();
  }

  private setFull(): void {
    if (this.problem) return;
    this.problem = { kind: 'full', message: `no space left on ${this.folder}` };
    this.onProblem(this.problem);
    this.onNotice(`${this.problem.message}: only deletes are accepted until there is`);
  }

  /** A folder that was deleted, moved or taken by another process must not be believed to keep anything. */
  private checkFolder(): void {
    if (this.problem?.kind === 'lost') throw new Error(this.problem.message);
    if (this.lock.isHeld()) return;
    const message = `the lock of ${this.folder} is lost: the folder was deleted or replaced. Start again`;
    this.problem = { kind: 'lost', message };
    this.onProblem(this.problem);
    this.onNotice(message);
    throw new Error(message);
  }
}

/** On a full disk, deletes and the steps towards them are accepted. */
function freesSpace({ json, isDeleting }: JournalRecord): boolean {
  return json === undefined || isDeleting === true;
}

export function isSpaceError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function checkFormat(folder: string): void {
  const found = existsSync(join(folder, 'journal.mdb')) ? 'tektite-journal-2' : readFormat(join(folder, 'format'));
  if (found === undefined || found === format) return;
  throw new FolderError(
    `${folder} was written by another version of tektite (${found}, this one reads ${format}). Use that version, or choose another folder with --data-dir.`,
  );
}

/** An empty marker is one whose text a crash kept from the disk. */
function readFormat(marker: string): string | undefined {
  return (existsSync(marker) && readFileSync(marker, 'utf8').trim()) || undefined;
}
