import { badRequestError, type KubeObject, type ListMeta, type Mutable, StatusError } from '@tektite/meta';
import { apiVersionOf, type Resource, storageKey } from '../registry/resource.ts';
import type { Media } from '../request/api-response.ts';
import { itemsOf, objectsOf } from '../request/stored-answer.ts';
import { RevisionCompactedError, type ListResult, type Storage, type StoredEntry } from '../storage/storage.ts';
import {
  decodeContinue,
  encodeContinue,
  expiredContinueError,
  InvalidRevisionError,
  type ListParameters,
  parseRevision,
  tooLargeRevisionError,
} from './list-options.ts';
import { expiredError } from '@tektite/meta';
import { type ObjectFilter, selection } from './selection.ts';

/** A page of a list, before it is put into one of the forms on offer. */
export interface ObjectPage {
  readonly metadata: ListMeta;
  readonly objects: readonly KubeObject[];
  /** The same as the storage has it, where nothing is converted. */
  readonly entries?: readonly StoredEntry[];
}

/** A page of the storage. Its objects are decoded when they are asked for. */
class StoredPage implements ObjectPage {
  readonly metadata: ListMeta;
  readonly entries: readonly StoredEntry[];

  constructor(metadata: ListMeta, entries: readonly StoredEntry[]) {
    this.metadata = metadata;
    this.entries = entries;
  }

  get objects(): readonly KubeObject[] {
    return objectsOf(this.entries);
  }
}

/**
 * The prefix of a list or a watch: a namespace's objects, or all; one object alone when a field selector pins the name.
 */
export function listPrefix(resource: Resource, namespace: string): string {
  return namespace !== '' && resource.namespaced ? storageKey(resource, namespace, '') : resource.storagePrefix;
}

/** Lists objects by upstream's rules for resourceVersion, resourceVersionMatch, limit and continue. */
export async function listObjects(
  storage: Storage,
  resource: Resource,
  namespace: string,
  parameters: ListParameters,
): Promise<ObjectPage> {
  const selects = selection(resource, parameters.labelSelector, parameters.fieldSelector);
  const prefix = listPrefix(resource, namespace);
  const page =
    parameters.continue === ''
      ? firstPage(storage, prefix, parameters, selects.stored)
      : nextPage(storage, prefix, parameters, selects.stored);
  const { objects, next, remaining } = selects.converted
    ? await selectConverted(storage, resource, prefix, parameters.limit, page, selects.stored, selects.converted)
    : { ...page, objects: resource.fromStorage && (await resource.fromStorage(objectsOf(page.entries))) };
  const metadata: Mutable<ListMeta> = { resourceVersion: String(page.revision) };
  if (next !== undefined) {
    metadata.continue = encodeContinue({ revision: page.revision, start: `/${next.slice(prefix.length)}` });
    if (remaining !== undefined) metadata.remainingItemCount = remaining;
  } else if (resource.custom) metadata.continue = '';
  return objects ? { metadata, objects } : new StoredPage(metadata, page.entries);
}

async function convert(resource: Resource, stored: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  return resource.fromStorage ? resource.fromStorage(stored) : stored;
}

interface SelectedPage {
  readonly objects: readonly KubeObject[];
  readonly next?: string;
  readonly remaining?: number;
}

/** Reads on until the page is full of objects that are selected in the version asked for, or the list ends. */
async function selectConverted(
  storage: Storage,
  resource: Resource,
  prefix: string,
  limit: number,
  first: ListResult,
  stored: ObjectFilter | undefined,
  converted: ObjectFilter,
): Promise<SelectedPage> {
  const objects: KubeObject[] = [];
  for (let page = first; ; ) {
    objects.push(...(await convert(resource, objectsOf(page.entries))).filter(converted));
    const { next } = page;
    if (next === undefined) return { objects };
    if (limit > 0 && objects.length >= limit) return { objects, next };
    const rest = { ...limited(limit - objects.length), ...(stored ? { filter: stored } : {}) };
    page = storage.list(prefix, { ...rest, from: next, revision: first.revision });
  }
}

function firstPage(
  storage: Storage,
  prefix: string,
  parameters: ListParameters,
  selects: ObjectFilter | undefined,
): ListResult {
  const { limit, resourceVersionMatch: match } = parameters;
  const wanted = readRevision(parameters.resourceVersion);
  if (wanted > storage.revision) throw tooLargeRevisionError(wanted, storage.revision);
  // A limit without a match means the exact revision, for clients that page from a list they know.
  const exact = match === 'Exact' || (match === '' && limit > 0 && wanted > 0);
  try {
    return storage.list(prefix, {
      ...limited(limit),
      ...(selects ? { filter: selects } : {}),
      ...(exact ? { revision: wanted } : {}),
    });
  } catch (error) {
    if (error instanceof RevisionCompactedError)
      throw expiredError('The resourceVersion for the provided list is too old.');
    throw error;
  }
}

function nextPage(
  storage: Storage,
  prefix: string,
  parameters: ListParameters,
  selects: ObjectFilter | undefined,
): ListResult {
  const token = decodeContinue(parameters.continue);
  if (parameters.resourceVersion !== '' && parameters.resourceVersion !== '0') {
    throw badRequestError('specifying resource version is not allowed when using continue');
  }
  const from = `${prefix}${token.start.replace(/^\//, '')}`;
  const filter = selects ? { filter: selects } : {};
  if (token.revision < 0) return storage.list(prefix, { ...limited(parameters.limit), ...filter, from });
  try {
    return storage.list(prefix, { ...limited(parameters.limit), ...filter, from, revision: token.revision });
  } catch (error) {
    // Revision -1 stands for "whatever is newest when it is used".
    if (error instanceof RevisionCompactedError)
      throw expiredContinueError(encodeContinue({ revision: -1, start: token.start }));
    throw error;
  }
}

function limited(limit: number): { limit?: number } {
  return limit > 0 ? { limit } : {};
}

function readRevision(text: string): number {
  try {
    return parseRevision(text);
  } catch (error) {
    if (error instanceof InvalidRevisionError) throw badRequestError(`invalid resource version: ${error.message}`);
    throw error;
  }
}

/** GET with a resourceVersion: any state not older will do, and the newest always is. */
export function checkGetRevision(storage: Storage, text: string): void {
  let wanted: number;
  try {
    wanted = parseRevision(text);
  } catch (error) {
    if (error instanceof InvalidRevisionError) throw new StatusError({ code: 500, message: error.message });
    throw error;
  }
  if (wanted > storage.revision) throw tooLargeRevisionError(wanted, storage.revision);
}

/**
 * The items of a built-in list do not repeat their kind, as Go encodes them; custom resources do. Protobuf has no place for it, so
 * these lists have the objects of the storage, which are encoded once.
 */
export function toList(resource: Resource, page: ObjectPage, media: Media): object {
  return {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource),
    metadata: page.metadata,
    items: resource.custom || media === 'protobuf' ? page.objects : itemsOf(page.objects),
  };
}
