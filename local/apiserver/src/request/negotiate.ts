import { StatusError } from '@tektite/meta';
import type { Media } from './api-response.ts';

/** In which form an answer is wanted: as what media, and transformed into what. */
export interface Negotiated {
  readonly media: Media;
  readonly as?: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList';
  /** The version of the transformed form. */
  readonly version?: string;
}

interface AcceptClause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const served: Readonly<Record<string, Media>> = {
  'application/json': 'json',
  'application/vnd.kubernetes.protobuf': 'protobuf',
  'application/yaml': 'yaml',
  'text/html': 'json',
};

const mediaTypes = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const streamTypes = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

/**
 * The component that rejects media types that are not served: the routes of built-in kinds, those of collections, which have watches,
 * or the serializer alone, which knows `application/*`.
 */
export type MediaCheck = 'routes' | 'collection-routes' | 'serializer';

/** Transformations that every resource offers, with the group and versions they are asked for by. */
export const objectTransforms: ReadonlySet<string> = new Set([
  'Table;meta.k8s.io;v1',
  'Table;meta.k8s.io;v1beta1',
  'PartialObjectMetadata;meta.k8s.io;v1',
  'PartialObjectMetadata;meta.k8s.io;v1beta1',
  'PartialObjectMetadataList;meta.k8s.io;v1',
  'PartialObjectMetadataList;meta.k8s.io;v1beta1',
]);

/**
 * Picks the first clause of an Accept header that can be served. `transforms` are the forms on offer, as
 * `Kind;group;version`; `hasProtobuf` says whether protobuf is.
 *
 * Upstream has two layers that refuse, with different words: one that knows media types alone (`application/xml`), and
 * one that knows transformations.
 */
export function negotiate(
  accept: string | undefined,
  transforms: ReadonlySet<string>,
  hasProtobuf = false,
  check: MediaCheck = 'routes',
): Negotiated {
  const clauses = parseAccept(accept ?? '');
  if (clauses.length === 0) return { media: 'json' };
  for (const { type, parameters } of clauses) {
    const isAny = type === '*/*' || (check === 'serializer' && type === 'application/*');
    const media = isAny ? 'json' : served[type];
    if (media === undefined || type === 'text/html') continue;
    const as = parameters.get('as');
    // A Table has no form in protobuf.
    if (media === 'protobuf' && (!hasProtobuf || as === 'Table')) continue;
    if (as === undefined) return { media };
    const version = parameters.get('v') ?? '';
    if (transforms.has(`${as};${parameters.get('g') ?? ''};${version}`))
      return { media, as: as as NonNullable<Negotiated['as']>, version };
  }
  if (check === 'serializer') throw notAcceptableError();
  if (
    !clauses.some(({ type }) => type === '*/*' || Object.hasOwn(served, type)) ||
    clauses.every(({ type }) => type === 'text/html')
  ) {
    throw new StatusError({
      code: 406,
      reason: 'NotAcceptable',
      message: `406: Not Acceptable\n\nAvailable representations: ${check === 'routes' ? mediaTypes : `${mediaTypes}, ${streamTypes}`}`,
      details: {},
    });
  }
  throw notAcceptableError();
}

const noTransforms: ReadonlySet<string> = new Set();

/** The media of an answer that has one form: reviews, tokens, evictions. A client that accepts only a Table gets a 406. */
export function negotiateMedia(accept: string | undefined): Negotiated['media'] {
  return negotiate(accept, noTransforms).media;
}

/** The media of an error: YAML where the client wants that, JSON for all others. */
export function negotiateError(accept: string | undefined): 'json' | 'yaml' {
  if (!accept?.includes('yaml')) return 'json';
  try {
    return negotiateMedia(accept) === 'yaml' ? 'yaml' : 'json';
  } catch {
    return 'json';
  }
}

export function notAcceptableError(
  message = `only the following media types are accepted: ${mediaTypes}`,
): StatusError {
  return new StatusError({ code: 406, reason: 'NotAcceptable', message });
}

function parseAccept(accept: string): AcceptClause[] {
  const clauses: (AcceptClause & { readonly quality: number })[] = [];
  for (const text of accept.split(',')) {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    if (type === '') continue;
    const parameters = new Map<string, string>();
    for (const parameter of rest) {
      const equals = parameter.indexOf('=');
      if (equals > 0) parameters.set(parameter.slice(0, equals).trim(), parameter.slice(equals + 1).trim());
    }
    const quality = Number(parameters.get('q') ?? 1);
    clauses.push({ type: type.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 0 });
  }
  return clauses.sort((a, b) => b.quality - a.quality);
}
