import { isStatusError, type KubeList, type KubeObject } from '@tektite/meta';
import type { ListOptions } from './verb-options.ts';

/**
 * How to continue when the server has compacted the revision of the pages (410), which happens to lists that take
 * minutes.
 *
 * - `continue`: go on where the list stopped, in the newest state. Every object that existed all the time is seen once;
 *   the pages are no longer a consistent snapshot.
 * - `restart`: list again, in one request. Objects that were seen and did not change are not repeated.
 * - `fail`: throw the StatusError.
 */
export type ExpiredPolicy = 'continue' | 'restart' | 'fail';

export interface ListAllOptions extends Omit<ListOptions, 'continue'> {
  /** Default `continue`. */
  readonly onExpired?: ExpiredPolicy;
}

type ListPage<T extends KubeObject> = (options: ListOptions) => Promise<KubeList<T>>;

const defaultLimit = 500;

/** All objects, page by page. The next page is asked for when the last object of the one before was taken. */
export async function* listAll<T extends KubeObject>(
  list: ListPage<T>,
  options: ListAllOptions,
): AsyncGenerator<T, void> {
  const { onExpired = 'continue', ...first } = options;
  const seen = new Set<string>();
  const mark = ({ metadata }: T) => `${metadata.uid}/${metadata.resourceVersion}`;
  let query: ListOptions = { limit: defaultLimit, ...first };
  for (;;) {
    let page: KubeList<T>;
    try {
      page = await list(query);
    } catch (error) {
      if (query.continue === undefined || onExpired === 'fail' || !isStatusError(error) || error.code !== 410)
        throw error;
      // The 410 answer carries a token that continues in the newest state.
      const token = error.status.metadata.continue;
      query = onExpired === 'continue' && token ? { ...query, continue: token } : withoutPages(first);
      continue;
    }
    for (const item of page.items) {
      if (seen.size > 0 && seen.has(mark(item))) continue;
      if (onExpired === 'restart') seen.add(mark(item));
      yield item;
    }
    const { continue: next } = page.metadata;
    if (!next) return;
    // The token knows the revision; the server refuses both together.
    const { resourceVersion: _, resourceVersionMatch: __, ...rest } = query;
    query = { ...rest, continue: next };
  }
}

/** A part of a list. After the last one, the objects since the last `first` are the state at its resourceVersion. */
export interface SnapshotPage<T extends KubeObject> {
  readonly items: readonly T[];
  /** Earlier pages no longer count: the list was restarted. True for the first page, too. */
  readonly first: boolean;
  readonly resourceVersion: string;
}

/**
 * All objects as of one moment, a page at a time, so that no more than a page has to be in memory. When the pages expire,
 * all is read in one request.
 */
export async function* snapshotPages<T extends KubeObject>(
  list: ListPage<T>,
  options: ListOptions,
): AsyncGenerator<SnapshotPage<T>, void> {
  let query: ListOptions = { limit: defaultLimit, ...options };
  for (let first = true; ; first = query.continue === undefined) {
    let page: KubeList<T>;
    try {
      page = await list(query);
    } catch (error) {
      if (query.continue === undefined || !isStatusError(error) || error.code !== 410) throw error;
      query = withoutPages(options);
      continue;
    }
    const { continue: next, resourceVersion = '' } = page.metadata;
    yield { items: page.items, first, resourceVersion };
    if (!next) return;
    query = { ...query, continue: next };
  }
}

function withoutPages(options: ListOptions): ListOptions {
  const { limit: _, continue: __, ...rest } = options;
  return rest;
}
