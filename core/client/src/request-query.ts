import type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  LogOptions,
  WatchOptions,
  WriteOptions,
} from './verb-options.ts';

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Undefined, empty and false parameters are omitted: they are the server's defaults. */
function query(parameters: Parameters): URLSearchParams {
  const result = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '' && value !== false) result.set(name, String(value));
  return result;
}

export function getQuery({ resourceVersion }: GetOptions): URLSearchParams {
  return query({ resourceVersion });
}

export function listQuery(options: ListOptions): URLSearchParams {
  const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = options;
  return query({
    labelSelector,
    fieldSelector,
    limit,
    continue: options.continue,
    resourceVersion,
    resourceVersionMatch,
  });
}

export function watchQuery(options: WatchOptions): URLSearchParams {
  const { labelSelector, fieldSelector, resourceVersion, bookmarks, timeoutSeconds } = options;
  return query({
    watch: true,
    labelSelector,
    fieldSelector,
    resourceVersion,
    allowWatchBookmarks: bookmarks,
    timeoutSeconds,
  });
}

export function writeQuery(options: WriteOptions & Pick<ApplyOptions, 'force'>): URLSearchParams {
  const { dryRun, fieldManager, fieldValidation, force } = options;
  return query({ dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation, force });
}

export function logQuery({ signal: _, ...options }: LogOptions): URLSearchParams {
  return query(options);
}

/** The body of a delete; its options are not understood in the query by all servers. */
export function deleteBody({ dryRun, gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
  };
}
