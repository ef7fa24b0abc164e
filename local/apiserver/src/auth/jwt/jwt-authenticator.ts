import { type Clock, unauthorizedError } from '@tektite/meta';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import type { ApiRequest, UserInfo } from '../../request/api-request.ts';
import { type Authenticator, bearerToken } from '../authenticator.ts';
import type { JwtIssuer } from './authentication-configuration.ts';

/** Keys are read again for a token with an unknown one, but no more often than this. */
const refreshMs = 10_000;
const timeoutMs = 10_000;
const maxAnswerBytes = 1024 * 1024;
/** Asymmetric signatures only: a public key must never be taken for a shared secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Believes the tokens of OpenID Connect issuers, as `--authentication-config` names them. */
export class JwtAuthenticator implements Authenticator {
  private readonly issuers: ReadonlyMap<string, IssuerKeys>;
  private readonly clock: Clock;

  constructor(issuers: readonly JwtIssuer[], clock: Clock) {
    this.issuers = new Map(issuers.map((issuer) => [issuer.url, new IssuerKeys(issuer, clock)]));
    this.clock = clock;
  }

  async authenticate(request: ApiRequest): Promise<UserInfo | undefined> {
    const token = bearerToken(request);
    const keys = token === undefined ? undefined : this.issuers.get(issuerOf(token));
    if (token === undefined || !keys) return undefined;
    try {
      const { payload } = await jwtVerify(token, (header, input) => keys.find(header, input), {
        issuer: keys.issuer.url,
        audience: [...keys.issuer.audiences],
        algorithms,
        currentDate: new Date(this.clock.now()),
      });
      return keys.issuer.userOf(payload as Record<string, unknown>);
    } catch {
      // The reason is not for strangers.
      throw unauthorizedError();
    }
  }
}

function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    return '';
  }
}

/** The signing keys of an issuer, read by discovery when the first token comes. */
class IssuerKeys {
  readonly issuer: JwtIssuer;
  private readonly clock: Clock;
  private keys: Promise<KeySet> | undefined;
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(issuer: JwtIssuer, clock: Clock) {
    this.issuer = issuer;
    this.clock = clock;
  }

  async find(...which: Parameters<KeySet>): Promise<Awaited<ReturnType<KeySet>>> {
    try {
      return await (await this.read(false))(...which);
    } catch (error) {
      if (this.clock.monotonic() - this.readAt < refreshMs) throw error;
      return (await this.read(true))(...which);
    }
  }

  private read(again: boolean): Promise<KeySet> {
    if (this.keys && !again) return this.keys;
    this.readAt = this.clock.monotonic();
    const keys = this.load();
    this.keys = keys;
    keys.catch(() => {
      if (this.keys === keys) this.keys = undefined;
    });
    return keys;
  }

  private async load(): Promise<KeySet> {
    const { url, discoveryUrl } = this.issuer;
    const { issuer, jwks_uri: uri } = (await this.get(discoveryUrl)) as { issuer?: unknown; jwks_uri?: unknown };
    if (issuer !== url) throw new Error(`${discoveryUrl} is of another issuer`);
    if (typeof uri !== 'string' || !uri.startsWith('https://')) throw new Error(`${discoveryUrl} names no keys`);
    return createLocalJWKSet((await this.get(uri)) as JSONWebKeySet);
  }

  private async get(url: string): Promise<unknown> {
    const { Agent, request } = await import('undici');
    const { certificateAuthority: ca } = this.issuer;
    const agent = new Agent({
      connect: { timeout: timeoutMs, ...(ca ? { ca } : {}) },
      maxResponseSize: maxAnswerBytes,
    });
    try {
      const { statusCode, body } = await request(url, { dispatcher: agent, signal: AbortSignal.timeout(timeoutMs) });
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      return await body.json();
    } finally {
      await agent.destroy();
    }
  }
}
