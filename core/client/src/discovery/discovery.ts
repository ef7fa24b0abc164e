import { type Clock, parseApiVersion } from '@tektite/meta';
import { ClientError } from '../client-error.ts';
import type { KindName } from '../kind-reference.ts';
import { statusErrorOf } from '../transport/response-status.ts';
import type { Transport } from '../transport/transport.ts';
import { aggregatedAccept, isAggregated, readAggregated } from './aggregated-discovery.ts';
import type { ApiResource, ApiSurface } from './api-resource.ts';
import { readLegacy } from './legacy-discovery.ts';
import { findByName } from './resource-name.ts';

/** Asking for kinds that do not exist must not flood the server: so many refreshes at once, then one per interval. */
const refreshBurst = 10;
const refreshIntervalMs = 5_000;

/**
 * The resources of the server. Discovery runs on first use and is kept until a kind is requested that it does not
 * contain, which may be a new CRD.
 */
export class Discovery {
  private readonly transport: Transport;
  private readonly clock: Clock;
  private surface: ApiSurface | undefined;
  private loading: Promise<ApiSurface> | undefined;
  private tokens = refreshBurst;
  private refilled: number;

  constructor(transport: Transport, clock: Clock) {
    this.transport = transport;
    this.clock = clock;
    this.refilled = clock.monotonic();
  }

  /** Everything, from memory if it was asked before. */
  async all(): Promise<ApiSurface> {
    return this.surface ?? this.refresh();
  }

  /** The resource of a kind. Throws `UNKNOWN_KIND` when the server has none, after a refresh. */
  async find(name: KindName): Promise<ApiResource> {
    const groupVersion = parseApiVersion(name.apiVersion);
    const found = await this.search(({ resources }) =>
      resources.find(
        ({ group, version, kind }) =>
          kind === name.kind && group === groupVersion?.group && version === groupVersion.version,
      ),
    );
    if (found) return found;
    throw await this.unknown(`${name.kind} in version ${name.apiVersion}`, name.apiVersion);
  }

  /** The resource that a user calls by its plural, singular, kind or short name, perhaps with version and group. */
  async lookup(text: string): Promise<ApiResource> {
    const found = await this.search(({ resources }) => findByName(resources, text));
    if (found) return found;
    throw await this.unknown(text, '');
  }

  /** Forgets what the server said. */
  forget(): void {
    this.surface = undefined;
  }

  private async search(pick: (surface: ApiSurface) => ApiResource | undefined): Promise<ApiResource | undefined> {
    const known = this.surface;
    const found = pick(await this.all());
    // A discovery that was loaded just now is not loaded again.
    if (found || !known || !this.mayRefresh()) return found;
    return pick(await this.refresh());
  }

  private mayRefresh(): boolean {
    const now = this.clock.monotonic();
    const earned = Math.floor((now - this.refilled) / refreshIntervalMs);
    if (earned > 0) {
      this.tokens = Math.min(refreshBurst, this.tokens + earned);
      this.refilled += earned * refreshIntervalMs;
    }
    if (this.tokens === 0) return false;
    this.tokens--;
    return true;
  }

  /** Callers that wait share one load; it takes no signal, for one of them leaving must not fail the others. */
  private refresh(): Promise<ApiSurface> {
    this.loading ??= this.load()
      .then((surface) => {
        this.surface = surface;
        return surface;
      })
      .finally(() => {
        this.loading = undefined;
      });
    return this.loading;
  }

  private async load(): Promise<ApiSurface> {
    const [core, groups] = await Promise.all([this.get('/api', aggregatedAccept), this.get('/apis', aggregatedAccept)]);
    if (!isAggregated(core) || !isAggregated(groups)) {
      const plain = (path: string, body: unknown) => (isAggregated(body) ? this.get(path) : Promise.resolve(body));
      return readLegacy(await plain('/api', core), await plain('/apis', groups), (path) => this.get(path));
    }
    const parts = [readAggregated(core), readAggregated(groups)];
    return {
      resources: parts.flatMap(({ resources }) => resources),
      unavailable: parts.flatMap(({ unavailable }) => unavailable),
    };
  }

  private async get(path: string, accept?: string): Promise<unknown> {
    const response = await this.transport.request({ method: 'GET', path, ...(accept === undefined ? {} : { accept }) });
    if (response.status >= 300) throw statusErrorOf(response);
    return response.body;
  }

  private async unknown(what: string, apiVersion: string): Promise<ClientError> {
    const { unavailable } = await this.all();
    const advice = unavailable.includes(apiVersion)
      ? `the server that serves ${apiVersion} does not answer; see \`kubectl get apiservices\``
      : 'is its CustomResourceDefinition installed, and is the version served?';
    return new ClientError('UNKNOWN_KIND', `the server does not know ${what}; ${advice}`);
  }
}
