import type { Clock, Random } from '@tektite/meta';
import type { Endpoint } from './proxied-ports.ts';

/** How many clients an affinity remembers; the oldest is forgotten first. */
const maxClients = 10_000;

interface Remembered {
  readonly endpoint: Endpoint;
  readonly until: number;
}

/** Chooses the endpoint of a connection: any, or the one that the client had before. */
export class EndpointChoice {
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly affinityMs: number;
  private readonly clients = new Map<string, Remembered>();

  constructor(clock: Clock, random: Random, affinityMs = 0) {
    this.clock = clock;
    this.random = random;
    this.affinityMs = affinityMs;
  }

  /** Undefined: there is none. */
  choose(endpoints: readonly Endpoint[], client: string): Endpoint | undefined {
    if (this.affinityMs === 0) return this.any(endpoints);
    const now = this.clock.now();
    const before = this.clients.get(client);
    const isKept = before && before.until > now && endpoints.some((each) => isSame(each, before.endpoint));
    const endpoint = isKept ? before.endpoint : this.any(endpoints);
    this.clients.delete(client);
    if (endpoint) this.clients.set(client, { endpoint, until: now + this.affinityMs });
    for (const [oldest] of this.clients) {
      if (this.clients.size <= maxClients) break;
      this.clients.delete(oldest);
    }
    return endpoint;
  }

  private any(endpoints: readonly Endpoint[]): Endpoint | undefined {
    return endpoints[Math.floor(this.random.next() * endpoints.length)];
  }
}

function isSame(one: Endpoint, other: Endpoint): boolean {
  return one.address === other.address && one.port === other.port;
}
