import { stringifyJson } from '@tektite/meta';
import { createHash } from 'node:crypto';
import type { RemoteVersion } from '../aggregation/aggregator.ts';
import type { GroupEntry, ResourceTable, VersionEntry } from '../registry/resource-table.ts';
import type { ApiResponse } from '../request/api-response.ts';
import { type SwaggerDocument, swaggerDocument } from './document-v2.ts';
import { openApiDocument } from './document-v3.ts';
import type { DocumentedResource } from './resource-paths.ts';
import { swaggerProtobuf } from './swagger-protobuf.ts';

const notFound: ApiResponse = {
  code: 404,
  type: 'text',
  text: '404 page not found\n',
  contentType: 'text/plain; charset=utf-8',
};

/** The form in which client-go and kubectl ask for version 2. */
const protobufV2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Answers `/openapi/v3`, the documents below it, and `/openapi/v2`. Documents are made when they are asked for and kept until
 * the resources they are about change.
 */
export class OpenApi {
  private readonly table: ResourceTable;
  private readonly remotes: () => readonly RemoteVersion[];
  private readonly documents = new Map<string, { readonly hash: string; readonly text: Promise<string> }>();
  private readonly swagger = new Map<string, { readonly hash: string; readonly bytes: Promise<Uint8Array> }>();

  /** `remotes` are the versions of aggregated servers, whose documents these servers answer themselves. */
  constructor(table: ResourceTable, remotes: () => readonly RemoteVersion[] = () => []) {
    this.table = table;
    this.remotes = remotes;
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
    const headers = { vary: 'Accept' };
    if (accept?.includes(protobufV2)) {
      const bytes = await this.encodedV2('protobuf', (swagger) => swaggerProtobuf(swagger));
      return { code: 200, type: 'stream', stream: once(bytes), contentType: protobufV2.replace('@', '.'), headers };
    }
    if (!acceptsJson(accept)) return notAcceptable;
    const bytes = await this.encodedV2('json', (swagger) => Buffer.from(stringifyJson(swagger)));
    return { code: 200, type: 'stream', stream: once(bytes), contentType: 'application/json', headers };
  }

  /** The joined document costs a second of work: it is kept in each form that was asked for. */
  private encodedV2<T extends Uint8Array>(form: string, encode: (swagger: SwaggerDocument) => T): Promise<T> {
    const versions = [...this.versions()];
    const hash = versions.map(([path, resources]) => hashOf(path, resources)).join();
    const known = this.swagger.get(form);
    if (known?.hash === hash) return known.bytes as Promise<T>;
    const documents = versions.map(([, resources]) => openApiDocument(resources));
    const bytes = Promise.all(documents).then((all) => encode(swaggerDocument(all)));
    this.swagger.set(form, { hash, bytes });
    return bytes;
  }

  private document(path: string, resources: readonly DocumentedResource[], hash: string): Promise<string> {
    const known = this.documents.get(path);
    if (known?.hash === hash) return known.text;
    const text = openApiDocument(resources).then((document) => stringifyJson(document));
    this.documents.set(path, { hash, text });
    return text;
  }

  /** Clients keep documents by the hash in their address. */
  private index(): object {
    const paths: Record<string, object> = {};
    for (const [path, resources] of this.versions())
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(path, resources)}` };
    for (const { group, version } of this.remotes())
      paths[`apis/${group}/${version}`] = { serverRelativeURL: `/openapi/v3/apis/${group}/${version}` };
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
    hash.update(stringifyJson([kind, listKind, plural, namespaced, verbs, subresources, custom ? schema : 0]));
  return hash.digest('hex').toUpperCase();
}
