import { badRequestError, type KubeObject, type Status, StatusError } from '@tektite/meta';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { defaultPrinter, makeTable, partialMetadata, type IncludeObject } from '../table/table.ts';
import type { ApiResponse, InitialEvents, WatchEvent, WatchReader, WatchSource } from '../request/api-response.ts';
import { type ObjectPage, toList } from './list.ts';
import type { StoredEntry } from '../storage/storage.ts';
import { type Negotiated, notAcceptableError } from '../request/negotiate.ts';

const includes = ['None', 'Metadata', 'Object'];

/** `?includeObject=` of a Table request. */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (!includes.includes(value)) {
    throw badRequestError(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  return value as IncludeObject;
}

/** Puts objects into the form that was negotiated. */
export class Responder {
  private readonly resource: Resource;
  private readonly form: Negotiated;
  private readonly include: IncludeObject;
  private readonly now: number;
  private readonly asBytes: boolean;

  /** `asBytes`: the answer leaves the process, so JSON of the storage is as good as objects. */
  constructor(resource: Resource, form: Negotiated, query: URLSearchParams, now: number, asBytes = false) {
    this.asBytes = asBytes;
    this.resource = resource;
    this.form = form;
    this.include = form.as === 'Table' ? includeObjectOf(query) : 'Metadata';
    this.now = now;
  }

  object(code: number, object: KubeObject | Status): ApiResponse {
    const { media } = this.form;
    if (object.kind === 'Status') return { code, type: 'object', media, object };
    return { code, type: 'object', media, object: this.transform(object as KubeObject, true) };
  }

  /** An object as the storage has it. */
  entry(entry: StoredEntry): ApiResponse {
    return this.isStored()
      ? { code: 200, type: 'stored', media: this.form.media, entry }
      : this.object(200, entry.value);
  }

  list(page: ObjectPage): ApiResponse {
    const { media, as, version = 'v1' } = this.form;
    const apiVersion = `meta.k8s.io/${version}`;
    const { continue: token, ...rest } = page.metadata;
    const metadata = token ? page.metadata : rest;
    if (page.entries && this.isStored()) {
      const { listKind: kind } = this.resource;
      const list = { kind, apiVersion: apiVersionOf(this.resource), metadata: page.metadata, entries: page.entries };
      return { code: 200, type: 'storedList', media, list };
    }
    if (as === 'Table') {
      const table = makeTable(this.printer(), page.objects, metadata, {
        version,
        include: this.include,
        headers: true,
        now: this.now,
        metadataOf: this.resource.strategy.innerMetadata,
      });
      return { code: 200, type: 'object', media, object: table };
    }
    if (as === 'PartialObjectMetadata') {
      throw notAcceptableError(
        `you requested PartialObjectMetadata, but the requested object is a list (*${this.goName()}List)`,
      );
    }
    if (as === 'PartialObjectMetadataList') {
      const { innerMetadata } = this.resource.strategy;
      const items = page.objects.map((object) => partialMetadata(object, apiVersion, innerMetadata));
      return {
        code: 200,
        type: 'object',
        media,
        // Go prints a list that nothing was appended to as null.
        object: { kind: 'PartialObjectMetadataList', apiVersion, metadata, items: items.length === 0 ? null : items },
      };
    }
    return { code: 200, type: 'object', media, object: toList(this.resource, page, media) };
  }

  watch(source: WatchSource): ApiResponse {
    const { media, as } = this.form;
    if (media === 'yaml') {
      const streams = this.resource.custom ? ['json'] : ['json', 'vnd.kubernetes.protobuf'];
      const types = streams.map((type) => `application/${type};stream=watch`).join(', ');
      throw notAcceptableError(`only the following media types are accepted: ${types}`);
    }
    if (as === undefined) return { code: 200, type: 'watch', media, source };
    if (as === 'PartialObjectMetadataList') throw this.notAList();
    let first = true;
    const map = (event: WatchEvent): WatchEvent => {
      if (event.type === 'ERROR') return event;
      // A bookmark has nothing but a revision; the columns of a table need an object.
      const shown = event.type === 'BOOKMARK' ? { ...this.resource.emptyObject, ...event.object } : event.object;
      const object = this.transform(shown as KubeObject, first) as KubeObject;
      first = false;
      return { type: event.type, object };
    };
    return {
      code: 200,
      type: 'watch',
      media,
      source: { start: (reader) => source.start(mapEvents(reader, map)), stop: () => source.stop() },
    };
  }

  private transform(object: KubeObject, headers: boolean): unknown {
    const { as, version = 'v1' } = this.form;
    if (as === 'Table') {
      const { resourceVersion } = object.metadata;
      const metadata = resourceVersion === undefined ? {} : { resourceVersion };
      return makeTable(this.printer(), [object], metadata, {
        version,
        include: this.include,
        headers,
        now: this.now,
        metadataOf: this.resource.strategy.innerMetadata,
      });
    }
    if (as === 'PartialObjectMetadata')
      return partialMetadata(object, `meta.k8s.io/${version}`, this.resource.strategy.innerMetadata);
    if (as === 'PartialObjectMetadataList') throw this.notAList();
    return object;
  }

  /** Whether what the storage has is the answer. */
  private isStored(): boolean {
    const { media, as } = this.form;
    return this.asBytes && as === undefined && media !== 'yaml' && !this.resource.fromStorage;
  }

  private notAList(): Error {
    if (this.resource.custom) return new StatusError({ code: 500, message: 'content is not a list' });
    return notAcceptableError(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${this.goName()})`,
    );
  }

  private printer() {
    return this.resource.strategy.table ?? defaultPrinter;
  }

  /** The Go type that upstream names in these messages. */
  private goName(): string {
    if (this.resource.custom) return 'unstructured.Unstructured';
    const group = this.resource.group.split('.')[0];
    return `${group === '' ? 'core' : group}.${this.resource.kind}`;
  }
}

/** Maps events when they are read, and not before. */
function mapEvents(reader: WatchReader, map: (event: WatchEvent) => WatchEvent): WatchReader {
  const mapInitial = (initial: InitialEvents): InitialEvents => ({
    get left() {
      return initial.left;
    },
    isOwner: () => initial.isOwner(),
    next: () => {
      const event = initial.next();
      return event && map(event);
    },
  });
  return {
    begin: (initial) => reader.begin(mapInitial(initial)),
    push: (event) => reader.push(map(event)),
    end: () => reader.end(),
  };
}
