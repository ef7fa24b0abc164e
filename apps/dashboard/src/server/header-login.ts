import { BlockList, isIP } from 'node:net';
import { type ClientConfig, httpTransport, type Impersonation, type Transport } from '@tektite/client';
import type { Login, LoginRequest } from './login.ts';
import type { Visitor } from './visitor.ts';

export interface TrustedProxy {
  /** Addresses or networks (`10.0.0.0/8`) of the proxy. Headers of all others are not believed. */
  readonly addresses: readonly string[];
  /** The header with the name of the user. Default `x-forwarded-user`. */
  readonly userHeader?: string;
  /** The header with the groups, by commas. Default `x-forwarded-groups`. */
  readonly groupsHeader?: string;
}

type RequestOrigin = Omit<LoginRequest, 'given'>;

/**
 * A proxy in front has logged the user in and names the user in a header. Sessions impersonate that user, so the credentials of this
 * server need the right to impersonate, and nothing else of theirs is ever used.
 */
export class HeaderLogin implements Login {
  readonly form = 'header';
  private readonly openAs: (who: Impersonation) => Transport;
  private readonly trusted = new BlockList();
  private readonly userHeader: string;
  private readonly groupsHeader: string;
  private readonly byUser = new Map<string, Visitor>();

  constructor(openAs: (who: Impersonation) => Transport, proxy: TrustedProxy) {
    this.openAs = openAs;
    this.userHeader = (proxy.userHeader ?? 'x-forwarded-user').toLowerCase();
    this.groupsHeader = (proxy.groupsHeader ?? 'x-forwarded-groups').toLowerCase();
    for (const address of proxy.addresses) addTo(this.trusted, address);
  }

  async logIn(request: LoginRequest): Promise<Visitor | undefined> {
    const who = this.userOf(request);
    if (!who) return undefined;
    const key = JSON.stringify([who.user, who.groups]);
    const known = this.byUser.get(key) ?? { name: who.user, transport: this.openAs(who) };
    this.byUser.set(key, known);
    return known;
  }

  isStill(visitor: Visitor, request: RequestOrigin): boolean {
    const who = this.userOf(request);
    return who !== undefined && this.byUser.get(JSON.stringify([who.user, who.groups])) === visitor;
  }

  async close(): Promise<void> {
    await Promise.all([...this.byUser.values()].map(({ transport }) => transport.close()));
  }

  private userOf({
    headers,
    remoteAddress = '',
  }: RequestOrigin): Required<Pick<Impersonation, 'user' | 'groups'>> | undefined {
    const address = remoteAddress.replace(/^::ffff:/, '');
    if (!isIP(address) || !this.trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) return undefined;
    const user = headers[this.userHeader];
    // A header that came twice is joined by a comma: a client may have added its own.
    if (typeof user !== 'string' || user === '' || user.includes(',') || user.startsWith('system:')) return undefined;
    const groups = String(headers[this.groupsHeader] ?? '')
      .split(',')
      .map((group) => group.trim())
      .filter((group) => group !== '' && !group.startsWith('system:'));
    return { user, groups: [...groups, 'system:authenticated'] };
  }
}

/** Impersonates users with the credentials of a configuration. */
export function impersonateWith(config: ClientConfig): (who: Impersonation) => Transport {
  return (impersonate) => httpTransport({ ...config, impersonate });
}

function addTo(list: BlockList, text: string): void {
  const [address = '', bits] = text.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}
