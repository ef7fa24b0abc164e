import {
  type Clock,
  isStatusError,
  internalServerError,
  type KubeObject,
  type Mutable,
  type ObjectMeta,
  StatusError,
  type Status,
} from '@tektite/meta';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { RevisionCompactedError, type Storage, type StorageEvent, type StoredEntry } from '../storage/storage.ts';
import type { InitialEvents, WatchEvent, WatchReader, WatchSource } from '../request/api-response.ts';
import { InvalidRevisionError, type ListParameters, parseRevision, tooLargeRevisionError } from './list-options.ts';
import { objectsOf } from '../request/stored-answer.ts';
import type { ObjectFilter, Selection } from './selection.ts';

export interface WatchRequest {
  readonly resource: Resource;
  /** Storage prefix of what is watched. */
  readonly prefix: string;
  readonly parameters: ListParameters;
  readonly selects: Selection;
}

export interface WatchParts {
  readonly storage: Storage;
  readonly clock: Clock;
}

/** The minimal duration of a watch without a timeout; upstream takes a random time between one and two of these. */
const minWatchSeconds = 1800;
/** How often a watcher learns which revision it has seen everything of. */
const bookmarkMilliseconds = 60_000;

const initialEventsEnd = 'k8s.io/initial-events-end';

/**
 * Opens a watch. Events come in the order of revisions, without gaps and without repeats; what enters or leaves the
 * selection comes as ADDED or DELETED. A revision that is no longer kept gives one ERROR event (410) and the end.
 */
export function openWatch(parts: WatchParts, request: WatchRequest): WatchSource {
  let revision: number;
  try {
    revision = parseRevision(request.parameters.resourceVersion);
  } catch (error) {
    if (error instanceof InvalidRevisionError) throw new StatusError({ code: 500, message: error.message });
    throw error;
  }
  return new Watch(parts, request, revision);
}

type Conversion = readonly KubeObject[] | Promise<readonly KubeObject[]>;

class Watch implements WatchSource {
  private readonly parts: WatchParts;
  private readonly request: WatchRequest;
  private readonly from: number;
  private subscription: Disposable | undefined;
  private timeout: Disposable | undefined;
  private bookmarks: Disposable | undefined;
  private reader: WatchReader = { begin: () => {}, push: () => {}, end: () => {} };
  private stopped = false;
  /** Conversion to another version may wait for a webhook; what comes later waits in line. */
  private tail: Promise<void> | undefined;
  /** The revision that the watch began at; a bookmark says more than that. */
  private begin = 0;
  private retirement: Disposable | undefined;

  constructor(parts: WatchParts, request: WatchRequest, from: number) {
    this.parts = parts;
    this.request = request;
    this.from = from;
  }

  start(reader: WatchReader): void {
    this.reader = reader;
    const { storage, clock } = this.parts;
    const { timeoutSeconds, allowWatchBookmarks, sendInitialEvents } = this.request.parameters;
    const seconds = timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds : minWatchSeconds;
    this.timeout = clock.setTimer(seconds * 1000, () => this.finish());
    // A watch from nowhere starts with what there is; clients that know it ask for that, older ones always had it.
    const initial = sendInitialEvents ?? this.from === 0;
    if (initial && this.from > storage.revision) {
      this.fail(tooLargeRevisionError(this.from, storage.revision).status);
      return;
    }
    const after = this.from === 0 || initial ? storage.revision : this.from;
    this.begin = after;
    if (initial) {
      this.emitAll();
      // Upstream treats an older client that asks for everything as one that asked for initial events.
      if (allowWatchBookmarks) this.emitBookmark(after, true);
    }
    try {
      this.subscription = storage.watch(this.request.prefix, after, (event) => this.receive(event));
    } catch (error) {
      if (!(error instanceof RevisionCompactedError)) throw error;
      this.fail(expired(error));
      return;
    }
    if (allowWatchBookmarks) this.armBookmark();
    this.retirement = this.request.resource.onRetired?.(() => this.finish());
  }

  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.subscription?.[Symbol.dispose]();
    this.timeout?.[Symbol.dispose]();
    this.bookmarks?.[Symbol.dispose]();
    this.retirement?.[Symbol.dispose]();
  }

  private receive(event: StorageEvent): void {
    if (event.revision <= this.from) return;
    const { stored, converted } = this.request.selects;
    const was = event.previous !== undefined && (!stored || stored(event.previous));
    const is = !event.deleted && (!stored || stored(event.value));
    if (!was && !is) return;
    if (converted) this.receiveConverted(event, was, is, converted);
    else if (is) this.emit(was ? 'MODIFIED' : 'ADDED', event.value);
    else this.emit('DELETED', lastState(event));
  }

  /** Converts both states of the object before it decides whether the object entered or left the selection. */
  private receiveConverted(event: StorageEvent, was: boolean, is: boolean, selects: ObjectFilter): void {
    const { resource } = this.request;
    const states = [...(was ? [lastState(event)] : []), ...(is ? [event.value] : [])];
    this.convert(
      () => resource.fromStorage?.(states) ?? states,
      (objects) => {
        const before = was ? objects[0] : undefined;
        const now = is ? objects.at(-1) : undefined;
        const wasIn = before !== undefined && selects(before);
        if (now && selects(now)) this.reader.push({ type: wasIn ? 'MODIFIED' : 'ADDED', object: now });
        else if (wasIn) this.reader.push({ type: 'DELETED', object: before });
      },
    );
  }

  /** Everything there is. What has to be converted is converted at once: a webhook is asked once for all of it. */
  private emitAll(): void {
    const { storage } = this.parts;
    const { prefix, selects, resource } = this.request;
    const { entries, revision } = storage.list(prefix, selects.stored ? { filter: selects.stored } : {});
    const isForgotten = () => storage.compactedRevision > revision;
    if (!resource.fromStorage && !selects.converted) {
      this.convert(
        () => [],
        () =>
          this.reader.begin(
            new AddedEvents(entries.length, (i) => new StoredAdded(entries[i] as StoredEntry), isForgotten),
          ),
      );
      return;
    }
    const objects = objectsOf(entries);
    this.convert(
      () => resource.fromStorage?.(objects) ?? objects,
      (converted) => {
        const isOwner = () => converted !== objects || isForgotten();
        const selected = selects.converted ? converted.filter(selects.converted) : converted;
        const event = (i: number): WatchEvent => ({ type: 'ADDED', object: selected[i] as KubeObject });
        this.reader.begin(new AddedEvents(selected.length, event, isOwner));
      },
    );
  }

  private emit(type: WatchEvent['type'], object: KubeObject): void {
    const { resource } = this.request;
    this.convert(
      () => resource.fromStorage?.([object]) ?? [object],
      ([converted]) => this.reader.push({ type, object: converted as KubeObject }),
    );
  }

  /** Sends what was converted, in line. A conversion that fails ends the watch, and nothing else. */
  private convert(start: () => Conversion, send: (objects: readonly KubeObject[]) => void): void {
    if (this.stopped) return;
    let converted: Conversion;
    try {
      converted = start();
      if (!(converted instanceof Promise) && !this.tail) {
        send(converted);
        return;
      }
    } catch (error) {
      this.failWith(error);
      return;
    }
    // When the watch ends before its turn, a failure has no reader.
    if (converted instanceof Promise) converted.catch(() => {});
    this.inLine(async () => send(await converted));
  }

  private inLine(work: () => Promise<void> | void): void {
    const run = async () => {
      if (this.stopped) return;
      try {
        await work();
      } catch (error) {
        this.failWith(error);
      }
    };
    this.tail = (this.tail ?? Promise.resolve()).then(run);
  }

  private emitBookmark(revision: number, initialEnd: boolean): void {
    const metadata: Mutable<ObjectMeta> = { resourceVersion: String(revision) };
    if (initialEnd) metadata.annotations = { [initialEventsEnd]: 'true' };
    const event: WatchEvent = {
      type: 'BOOKMARK',
      object: { kind: this.request.resource.kind, apiVersion: apiVersionOf(this.request.resource), metadata },
    };
    this.convert(
      () => [],
      () => this.reader.push(event),
    );
  }

  private armBookmark(): void {
    this.bookmarks = this.parts.clock.setTimer(bookmarkMilliseconds, () => {
      const { revision } = this.parts.storage;
      if (revision > this.begin) this.emitBookmark(revision, false);
      if (!this.stopped) this.armBookmark();
    });
  }

  private failWith(error: unknown): void {
    this.fail(isStatusError(error) ? error.status : internalServerError(String(error)).status);
  }

  private fail(status: Status): void {
    if (this.stopped) return;
    this.reader.push({ type: 'ERROR', object: status });
    this.finish();
  }

  private finish(): void {
    if (this.stopped) return;
    this.stop();
    if (this.tail) void this.tail.then(() => this.reader.end());
    else this.reader.end();
  }
}

/** One ADDED event for each object, made when its turn comes. */
class AddedEvents implements InitialEvents {
  readonly isOwner: () => boolean;
  private readonly count: number;
  private readonly event: (index: number) => WatchEvent;
  private position = 0;

  constructor(count: number, event: (index: number) => WatchEvent, isOwner: () => boolean) {
    this.count = count;
    this.event = event;
    this.isOwner = isOwner;
  }

  get left(): number {
    return this.count - this.position;
  }

  next(): WatchEvent | undefined {
    return this.position < this.count ? this.event(this.position++) : undefined;
  }
}

/** An object of the storage, which is decoded only for those who want more than its JSON. */
class StoredAdded implements WatchEvent {
  readonly type = 'ADDED';
  private readonly entry: StoredEntry;

  constructor(entry: StoredEntry) {
    this.entry = entry;
  }

  get object(): KubeObject {
    return this.entry.value;
  }

  get json(): string {
    return this.entry.json;
  }
}

/** The state that a DELETED event shows, at the revision of the event. */
function lastState({ deleted, value, previous, revision }: StorageEvent): KubeObject {
  return deleted ? value : withRevision(previous as KubeObject, revision);
}

function withRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function expired(error: RevisionCompactedError): Status {
  return new StatusError({
    code: 410,
    reason: 'Expired',
    message: `too old resource version: ${error.revision} (${error.compacted})`,
  }).status;
}
