import { deepFreeze, type KubeObject, parseJson } from '@tektite/meta';
import { encodeJson } from '../codec/encoded-json.ts';
import { decodedVersions } from './decoded-versions.ts';
import type { StorageEvent, StoredEntry } from './storage.ts';

/**
 * An object as it was at a revision. A version of a durable store is kept as its JSON, a third of the memory of the object and nothing
 * that a garbage collection has to go through; the object is decoded when it is asked for, and kept with the latest of these.
 */
export class ObjectVersion implements StoredEntry {
  readonly key: string;
  readonly revision: number;
  readonly deleted: boolean = false;
  /** About what it takes: on disk, or in memory where there is no journal. */
  bytes = 0;
  protected object: KubeObject | undefined;
  private text: string | undefined;

  /** A frozen object, or its JSON. */
  constructor(key: string, revision: number, content: KubeObject | string) {
    this.key = key;
    this.revision = revision;
    this.object = typeof content === 'string' ? undefined : content;
    this.text = typeof content === 'string' ? content : undefined;
  }

  get value(): KubeObject {
    if (!this.object) {
      this.object = deepFreeze(this.decode());
      decodedVersions.add(this);
    }
    return this.object;
  }

  get json(): string {
    return (this.text ??= encodeJson(this.object as KubeObject));
  }

  /** Whether the object waits for its finalizers. */
  get isDeleting(): boolean {
    return this.value.metadata.deletionTimestamp !== undefined;
  }

  /** Of the JSON. */
  get length(): number {
    return this.json.length;
  }

  /** The object for a moment. It is not kept, so it costs no other its place. */
  peek(): KubeObject {
    return this.object ?? this.decode();
  }

  /** Keeps the JSON alone. */
  forgetObject(): void {
    this.text ??= encodeJson(this.object as KubeObject);
    this.object = undefined;
  }

  protected decode(): KubeObject {
    return parseJson(this.text as string) as KubeObject;
  }
}

/** The end of an object: its last state, at the revision of the delete. */
export class DeletedVersion extends ObjectVersion {
  override readonly deleted: boolean = true;
  private readonly last: ObjectVersion | undefined;

  constructor(key: string, revision: number, last: ObjectVersion | undefined) {
    super(key, revision, '');
    this.last = last;
  }

  override get json(): string {
    return encodeJson(this.value);
  }

  override get length(): number {
    return this.last?.length ?? 0;
  }

  override forgetObject(): void {
    this.object = undefined;
  }

  protected override decode(): KubeObject {
    const { key, last, revision } = this;
    const value = last?.peek() ?? deletedObject(key);
    return { ...value, metadata: { ...value.metadata, resourceVersion: String(revision) } };
  }
}

/** One write, by the versions after and before it. */
export class VersionEvent implements StorageEvent {
  readonly version: ObjectVersion;
  private readonly before: ObjectVersion | undefined;

  constructor(version: ObjectVersion, before: ObjectVersion | undefined) {
    this.version = version;
    this.before = before;
  }

  get key(): string {
    return this.version.key;
  }

  get revision(): number {
    return this.version.revision;
  }

  get deleted(): boolean {
    return this.version.deleted;
  }

  get value(): KubeObject {
    return this.version.value;
  }

  get previous(): KubeObject | undefined {
    return this.before?.value;
  }
}

/** Stands for an object of which only the delete is kept; compaction drops both together, so no watcher sees it. */
function deletedObject(key: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Object', metadata: { name: key.slice(key.lastIndexOf('/') + 1) } };
}
