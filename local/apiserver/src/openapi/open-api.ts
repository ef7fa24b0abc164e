import { createHash } from 'node:crypto';
import type { GroupEntry, ResourceTable, VersionEntry } from '../registry/resource-table.ts';
import type { ApiResponse } from '../request/api-response.ts';
import { swaggerDocument } from './document-v2.ts';
import { openApiDocument } from './document-v3.ts';
import type { DocumentedResource } from './resource-paths.ts';

const notFound: ApiResponse = {
  code: 404,
  type: 'text',
  text: '404 page not found\n',
  contentType: 'text/plain; charset=utf-8',
};

/** The form in which kubectl asks for version 2, when version 3 does not know a kind. */
const protobufV2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/**
 * A document without definitions: `swagger: "2.0"`, `info: {title, version}`, `paths: {}`. kubectl concludes that the kind
 * is not there, which is all it wants to know.
 */
function emptyProtobuf(): ApiResponse {
  const document = Uint8Array.from([
    0x0a,
    3,
    ...Buffer.from('2.0'),
    0x12,
    9,
    0x0a,
    1,
    0x6b,
    0x12,
    4,
    ...Buffer.from('v1.0'),
    0x42,
    0,
  ]);
  return { code: 200, type: 'stream', contentType: protobufV2.replace('@', '.'), stream: once(document) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Answers `/openapi/v3`, the documents below it, and `/openapi/v2`. Documents are made when they are asked for and kept until
 * the resources they are about change.
 */
export class OpenApi {
  private readonly table: ResourceTable;
  private readonly documents = new Map<string, { readonly hash: string; readonly text: Promise<string> }>();

  constructor(table: ResourceTable) {
    this.table = table;
  }

  /**
   * `undefined` when the path is none of OpenAPI's.
   *
   * @param segments the parts of the path, `openapi` included
   */
  async answer(
    segments: readonly string[],
    accept: string | undefined,
    query: URLSearchParams,
  ): Promise<ApiResponse | undefined> {
    if (segments[0] !== 'openapi') return undefined;
    if (segments[1] === 'v2' && segments.length === 2) return this.answerV2(accept);
    if (segments[1] !== 'v3') return notFound;
    if (segments.length === 2) {
      return { code: 200, type: 'text', text: JSON.stringify(this.index()), contentType: 'text/plain; charset=utf-8' };
    }
    return this.answerDocument(segments.slice(2).join('/'), accept, query.get('hash'));
  }

  private async answerDocument(path: string, accept: string | undefined, hash: string | null): Promise<ApiResponse> {
    const resources = this.versions().get(path);
    if (!resources) return notFound;
    if (!acceptsJson(accept)) return notAcceptable;
    const current = hashOf(path, resources);
    const address = `/openapi/v3/${path}?hash=${current}`;
    if (hash !== null && hash !== current)
      return { code: 301, type: 'text', text: '', contentType: 'text/plain', headers: { location: address } };
    const text = await this.document(path, resources, current);
    const headers: Record<string, string> = { vary: 'Accept' };
    if (hash !== null) headers['cache-control'] = 'public, immutable';
    return { code: 200, type: 'text', text, contentType: 'application/json', headers };
  }

  private async answerV2(accept: string | undefined): Promise<ApiResponse> {
    if (accept?.includes(protobufV2)) return emptyProtobuf();
    if (!acceptsJson(accept)) return notAcceptable;
    const documents = await Promise.all([...this.versions().values()].map((resources) => openApiDocument(resources)));
    const text = JSON.stringify(swaggerDocument(documents));
    return { code: 200, type: 'text', text, contentType: 'application/json', headers: { vary: 'Accept' } };
  }

  private document(path: string, resources: readonly DocumentedResource[], hash: string): Promise<string> {
    const known = this.documents.get(path);
    if (known?.hash === hash) return known.text;
    const text = openApiDocument(resources).then((document) => JSON.stringify(document));
    this.documents.set(path, { hash, text });
    return text;
  }

  /** Clients keep documents by the hash in their address. */
  private index(): object {
    const paths: Record<string, object> = {};
    for (const [path, resources] of this.versions())
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(path, resources)}` };
    return { paths };
  }

  /** The resources of each group and version, by the path of their document: `api/v1`, `apis/apps/v1`. */
  private versions(): Map<string, readonly DocumentedResource[]> {
    const result = new Map<string, readonly DocumentedResource[]>();
    const add = (group: GroupEntry, { version, resources }: VersionEntry) =>
      result.set(group.name === '' ? `api/${version}` : `apis/${group.name}/${version}`, resources);
    const core = this.table.group('');
    for (const group of core ? [core, ...this.table.allGroups()] : this.table.allGroups())
      for (const version of group.versions) add(group, version);
    return result;
  }
}

const notAcceptable: ApiResponse = { code: 406, type: 'text', text: '', contentType: 'text/plain; charset=utf-8' };

function acceptsJson(accept: string | undefined): boolean {
  return !accept || /application\/(?:json|\*)|\*\/\*/.test(accept);
}

/** Changes whenever the document would. Built-in kinds never change, so their names are enough. */
function hashOf(path: string, resources: readonly DocumentedResource[]): string {
  const hash = createHash('sha512').update(path);
  for (const { kind, listKind, plural, namespaced, verbs, subresources, custom, schema } of resources)
    hash.update(JSON.stringify([kind, listKind, plural, namespaced, verbs, subresources, custom ? schema : 0]));
  return hash.digest('hex').toUpperCase();
}
