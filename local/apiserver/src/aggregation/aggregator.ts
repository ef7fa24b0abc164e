import type { KeyPair } from '@tektite/certificates';
import { type Clock, cloneJson, type Random, systemClock, stringifyJson } from '@tektite/meta';
import type { APIService, APIServiceSpec, APIServiceStatus } from '@tektite/schema/kubernetes';
import { NoEndpointError } from '../admission/webhook/service-endpoints.ts';
import type { Draft, Resource } from '../registry/resource.ts';
import type { ApiRequest, UserInfo } from '../request/api-request.ts';
import type { ApiResponse } from '../request/api-response.ts';
import type { Dial } from '../admission/webhook/dial.ts';
import type { Storage } from '../storage/storage.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { type Availability, failedCheck, passed, withAvailability } from './availability.ts';
import { jsonLines } from './json-lines.ts';
import { answeredHeaders, proxiedHeaders } from './proxied-headers.ts';
import type { RemoteServer } from './remote-server.ts';

export interface AggregatorParts {
  readonly storage: Storage;
  readonly objects: () => ObjectStore;
  readonly resource: Resource;
  readonly clock: Clock;
  readonly random: Random;
  readonly dial?: Dial | undefined;
  readonly onError: (error: unknown) => void;
}

/** A group and version of another server, as its discovery describes it. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly object[];
}

/** An APIService with a Service behind it. */
interface Remote {
  readonly key: string;
  readonly service: APIService;
  readonly spec: APIServiceSpec;
  server?: Promise<RemoteServer>;
  available: boolean;
  resources: readonly object[];
  failures: number;
  timer?: Disposable;
}

const checkMs = 30_000;
const firstRetryMs = 1000;
const checkTimeoutMs = 5000;
const user: UserInfo = { name: 'system:kube-aggregator', groups: ['system:masters'] };

/**
 * Makes the APIs of other servers part of this one: requests for the group and version of an APIService are passed on, with
 * the user that this server authenticated and authorized, over TLS with the front-proxy certificate.
 *
 * Guarantees: a request is passed on only while the last check of the server succeeded; the result is in the condition
 * `Available`. Without such APIServices nothing runs.
 */
export class Aggregator implements AsyncDisposable {
  private readonly parts: AggregatorParts;
  private readonly remotes = new Map<string, Remote>();
  private readonly subscription: Disposable;
  private pair: Promise<{ readonly authority: KeyPair; readonly client: KeyPair }> | undefined;
  private closed = false;

  constructor(parts: AggregatorParts) {
    this.parts = parts;
    const { storage, resource } = parts;
    for (const { key, value } of storage.list(resource.storagePrefix).entries) this.follow(key, value as APIService);
    this.subscription = storage.watch(resource.storagePrefix, storage.revision, ({ key, value, deleted }) =>
      this.follow(key, deleted ? undefined : (value as APIService)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true;
    this.subscription[Symbol.dispose]();
    await Promise.all([...this.remotes.values()].map((remote) => this.drop(remote)));
    this.remotes.clear();
  }

  /** The authority of the front-proxy certificate, which aggregated servers have to trust. New with every process. */
  async authority(): Promise<string> {
    return (await this.identity()).authority.certificate;
  }

  /** The groups and versions of the servers that answered last time. */
  versions(): readonly RemoteVersion[] {
    return [...this.remotes.values()]
      .filter(({ available }) => available)
      .map(({ spec: { group = '', version = '' }, resources }) => ({ group, version, resources }));
  }

  has(group: string, version: string): boolean {
    return this.find(group, version) !== undefined;
  }

  /** Passes a request on to the server of its group and version. */
  async proxy(group: string, version: string, request: ApiRequest, as: UserInfo): Promise<ApiResponse> {
    const remote = this.find(group, version);
    if (!remote?.available) return unavailable('service unavailable');
    const query = request.query.toString();
    const { body } = request;
    try {
      const server = await this.serverOf(remote);
      const response = await server.send({
        method: request.method,
        path: query === '' ? request.path : `${request.path}?${query}`,
        headers: proxiedHeaders(request.headers, as),
        ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : stringifyJson(body) }),
        ...(request.signal ? { signal: request.signal } : {}),
      });
      const { 'content-type': type = '', ...headers } = answeredHeaders(response.headers);
      const answer = { code: response.statusCode, headers };
      const contentType = typeof type === 'string' ? type : (type[0] ?? '');
      // Callers of this process take objects and events, not bytes.
      if (request.user && contentType.startsWith('application/json'))
        return request.query.has('watch')
          ? { ...answer, type: 'watch', media: 'json', source: jsonLines(response.body) }
          : { ...answer, type: 'object', media: 'json', object: await response.body.json() };
      return { ...answer, type: 'stream', contentType, stream: response.body };
    } catch (error) {
      return unavailable(`error trying to reach service: ${(error as Error).message}`);
    }
  }

  private find(group: string, version: string): Remote | undefined {
    if (this.remotes.size === 0) return undefined;
    return this.remotes.get(`${this.parts.resource.storagePrefix}${version}.${group}`);
  }

  private identity() {
    return (this.pair ??= (async () => {
      const { createAuthority, issueCertificate } = await import('@tektite/certificates');
      const authority = await createAuthority('front-proxy', systemClock);
      return {
        authority,
        client: await issueCertificate(authority, { commonName: 'front-proxy-client' }, systemClock),
      };
    })());
  }

  private serverOf(remote: Remote): Promise<RemoteServer> {
    return (remote.server ??= (async () => {
      const [{ RemoteServer }, { client }] = await Promise.all([import('./remote-server.ts'), this.identity()]);
      return new RemoteServer(remote.spec, { ...this.parts, identity: client });
    })());
  }

  private follow(key: string, service: APIService | undefined): void {
    const old = this.remotes.get(key);
    if (old && service && isSame(old.service, service)) return;
    if (old) void this.drop(old);
    this.remotes.delete(key);
    const { spec } = service ?? {};
    if (!service || !spec?.service || this.closed) return;
    const remote: Remote = { key, service, spec, available: false, resources: [], failures: 0 };
    this.remotes.set(key, remote);
    void this.check(remote);
  }

  private async drop(remote: Remote): Promise<void> {
    remote.timer?.[Symbol.dispose]();
    remote.available = false;
    await (await remote.server?.catch(() => undefined))?.close();
  }

  /** Asks the server for its discovery, records the result, and schedules the next check. */
  private async check(remote: Remote): Promise<void> {
    const result = await this.probe(remote);
    if (this.closed || this.remotes.get(remote.key) !== remote) return;
    remote.available = result.status === 'True';
    remote.failures = remote.available ? 0 : remote.failures + 1;
    await this.record(remote, result).catch((error: unknown) => this.parts.onError(error));
    if (this.closed || this.remotes.get(remote.key) !== remote) return;
    const wait = remote.available ? checkMs : Math.min(firstRetryMs * 2 ** (remote.failures - 1), checkMs);
    remote.timer = this.parts.clock.setTimer(wait, () => void this.check(remote));
  }

  private async probe(remote: Remote): Promise<Availability> {
    const { group = '', version = '', service } = remote.spec;
    const path = `/apis/${group}/${version}`;
    const { namespace = '', name = '', port = 443 } = service ?? {};
    const url = `https://${name}.${namespace}.svc:${port}${path}`;
    try {
      const server = await this.serverOf(remote);
      const headers = { accept: 'application/json', ...proxiedHeaders({}, user) };
      const signal = AbortSignal.timeout(checkTimeoutMs);
      const response = await server.send({ method: 'GET', path, headers, signal });
      if (response.statusCode < 200 || response.statusCode > 299) {
        await response.body.dump();
        return failedCheck(url, `bad status from ${url}: ${response.statusCode}`);
      }
      const { resources } = (await response.body.json()) as { readonly resources?: readonly object[] };
      remote.resources = resources ?? [];
      return passed;
    } catch (error) {
      if (error instanceof NoEndpointError)
        return { status: 'False', reason: 'MissingEndpoints', message: (error as Error).message };
      return failedCheck(url, (error as Error).message);
    }
  }

  private async record({ key, service }: Remote, result: Availability): Promise<void> {
    const { storage, resource, clock } = this.parts;
    const current = storage.latest(key)?.value as APIService | undefined;
    if (!current || !withAvailability(current.status, result, clock.now())) return;
    await this.parts.objects().update(
      resource,
      {
        namespace: '',
        name: service.metadata.name ?? '',
        subresource: 'status',
        change: (old) => {
          const draft = cloneJson(old) as Draft & { status?: APIServiceStatus };
          draft.status = withAvailability(draft.status, result, clock.now()) ?? draft.status ?? {};
          return draft;
        },
      },
      {
        user: { name: 'system:apiserver', groups: ['system:masters'] },
        fieldManager: 'kube-apiserver',
        dryRun: false,
        options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
        warn: () => {},
      },
    );
  }
}

/** Whether the same server is meant: writes of the status and of labels change nothing. */
function isSame(a: APIService, b: APIService): boolean {
  return a.metadata.uid === b.metadata.uid && JSON.stringify(a.spec) === JSON.stringify(b.spec);
}

function unavailable(text: string): ApiResponse {
  return { code: 503, type: 'text', text: `${text}\n`, contentType: 'text/plain; charset=utf-8' };
}
