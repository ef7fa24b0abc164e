import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type Clock, instantToMilliseconds, type KubeObject, parseTime, type Random, randomUid } from '@tektite/meta';
import { calculateJwkThumbprint, exportJWK, importPKCS8, jwtVerify, type JWTVerifyOptions, SignJWT } from 'jose';
import type { Storage } from '../storage/storage.ts';
import type { ApiRequest, UserInfo } from '../request/api-request.ts';
import { type Authenticator, bearerToken } from './authenticator.ts';

/** The issuer of tokens, and their default audience. */
export const tokenIssuer = 'https://kubernetes.default.svc';

/** How tokens are signed, by the type of the key; upstream's choice too. */
const algorithms = { rsa: 'RS256', ec: 'ES256' } as const;

export type SigningKeyType = keyof typeof algorithms;

/** Clocks differ: for so long a token is good after its end, and after that of what it is bound to. Upstream's time. */
const leewaySeconds = 60;

/** The object that a token is bound to besides its account: the token expires with it. */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
  /** The node of a Pod. The token names it, but does not expire with it. */
  readonly node?: { readonly name: string; readonly uid?: string };
}

export interface TokenOptions {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly bound?: BoundObject;
}

/** A token that was found good. */
export interface VerifiedToken {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

interface PrivateClaims {
  readonly namespace?: string;
  readonly serviceaccount?: { readonly name: string; readonly uid: string };
  readonly pod?: { readonly name: string; readonly uid: string };
  readonly secret?: { readonly name: string; readonly uid: string };
  readonly node?: { readonly name: string; readonly uid?: string };
}

/** Signs and checks the tokens of service accounts. A token is good only while its account, and what it is bound to, exist. */
export class ServiceAccountTokens implements Authenticator {
  private readonly storage: Storage;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly loadKey: () => Promise<string>;
  private loaded: ReturnType<typeof loadKeys> | undefined;

  /** `loadKey` gives an RSA key or an EC key on P-256, PKCS #8 PEM; it is asked once, when the first token is signed or checked. */
  constructor(loadKey: () => Promise<string>, storage: Storage, clock: Clock, random: Random) {
    this.storage = storage;
    this.clock = clock;
    this.random = random;
    this.loadKey = loadKey;
  }

  private keys(): ReturnType<typeof loadKeys> {
    return (this.loaded ??= this.loadKey().then(loadKeys));
  }

  async issue(
    account: KubeObject,
    { audiences, expirationSeconds, bound }: TokenOptions,
  ): Promise<{ token: string; expires: number }> {
    const { algorithm, sign, id } = await this.keys();
    const { name = '', namespace = '', uid = '' } = account.metadata;
    const now = Math.floor(this.clock.now() / 1000);
    const expires = now + expirationSeconds;
    const claims: PrivateClaims = {
      namespace,
      serviceaccount: { name, uid },
      ...(bound ? { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } } : {}),
      ...(bound?.node ? { node: bound.node } : {}),
    };
    const token = await new SignJWT({ 'kubernetes.io': claims })
      .setProtectedHeader({ alg: algorithm, kid: id })
      .setAudience([...audiences])
      .setIssuer(tokenIssuer)
      .setSubject(`system:serviceaccount:${namespace}:${name}`)
      .setJti(randomUid(this.random))
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(expires)
      .sign(sign);
    return { token, expires: expires * 1000 };
  }

  /** The public keys with which others verify tokens. */
  async publicKey(): Promise<{ readonly algorithm: string; readonly jwk: object }> {
    const { algorithm, verify, id } = await this.keys();
    return { algorithm, jwk: { use: 'sig', kid: id, alg: algorithm, ...(await exportJWK(verify)) } };
  }

  async authenticate(request: ApiRequest): Promise<UserInfo | undefined> {
    const token = bearerToken(request);
    if (token === undefined || token.split('.').length !== 3) return undefined;
    return (await this.verify(token, [tokenIssuer]))?.user;
  }

  /** Who a token is of, and for which of the audiences it is good; `undefined` when it is good for none. */
  async verify(token: string, audiences: readonly string[]): Promise<VerifiedToken | undefined> {
    const keys = await this.keys();
    let claims: Record<string, unknown>;
    try {
      const { payload } = await jwtVerify(token, keys.verify, this.expectations(keys.algorithm));
      claims = payload as Record<string, unknown>;
    } catch {
      return undefined;
    }
    const meant = ([] as unknown[])
      .concat(claims.aud ?? [])
      .filter((audience): audience is string => typeof audience === 'string');
    const common = audiences.filter((audience) => meant.includes(audience));
    if (common.length === 0) return undefined;
    const info = (claims['kubernetes.io'] ?? {}) as PrivateClaims;
    const { namespace = '', serviceaccount } = info;
    if (!serviceaccount || !this.isLive('serviceaccounts', namespace, serviceaccount)) return undefined;
    if (info.pod && !this.isLive('pods', namespace, info.pod)) return undefined;
    if (info.secret && !this.isLive('secrets', namespace, info.secret)) return undefined;
    if (info.node && !info.pod && !this.isLive('nodes', '', info.node)) return undefined;
    return { user: userOf(namespace, serviceaccount, info, String(claims.jti ?? '')), audiences: common };
  }

  /** Why a token was rejected, for a TokenReview. */
  async explain(token: string, wanted: readonly string[]): Promise<string> {
    const invalid = 'invalid bearer token';
    if (token.split('.').length !== 3) return invalid;
    const keys = await this.keys();
    try {
      const { payload } = await jwtVerify(token, keys.verify, this.expectations(keys.algorithm));
      const list = (audiences: readonly unknown[]) =>
        `[${audiences.map((audience) => JSON.stringify(audience)).join(' ')}]`;
      const meant = ([] as unknown[]).concat(payload.aud ?? []);
      return `[${invalid}, token audiences ${list(meant)} is invalid for the target audiences ${list(wanted)}]`;
    } catch {
      return invalid;
    }
  }

  private expectations(algorithm: string): JWTVerifyOptions {
    const currentDate = new Date(this.clock.now());
    return { issuer: tokenIssuer, algorithms: [algorithm], currentDate, clockTolerance: leewaySeconds };
  }

  private isLive(
    plural: string,
    namespace: string,
    { name, uid }: { readonly name: string; readonly uid?: string },
  ): boolean {
    const entry = this.storage.get(`/registry/${plural}/${namespace === '' ? '' : `${namespace}/`}${name}`);
    if (!entry || entry.value.metadata.uid !== uid) return false;
    const { deletionTimestamp } = entry.value.metadata;
    if (deletionTimestamp === undefined) return true;
    return instantToMilliseconds(parseTime(deletionTimestamp)) >= this.clock.now() - leewaySeconds * 1000;
  }
}

function userOf(
  namespace: string,
  account: { readonly name: string; readonly uid: string },
  info: PrivateClaims,
  id: string,
): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${account.name}`,
    uid: account.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    extra: {
      'authentication.kubernetes.io/credential-id': [`JTI=${id}`],
      ...(info.pod
        ? {
            'authentication.kubernetes.io/pod-name': [info.pod.name],
            'authentication.kubernetes.io/pod-uid': [info.pod.uid],
          }
        : {}),
      ...(info.node
        ? {
            'authentication.kubernetes.io/node-name': [info.node.name],
            ...(info.node.uid ? { 'authentication.kubernetes.io/node-uid': [info.node.uid] } : {}),
          }
        : {}),
    },
  };
}

async function loadKeys(pem: string) {
  const verify = createPublicKey(pem);
  const algorithm = algorithmOf(verify);
  const sign = await importPKCS8(pem, algorithm);
  const id = await calculateJwkThumbprint(await exportJWK(verify));
  return { algorithm, sign, verify, id };
}

function algorithmOf({ asymmetricKeyType: type }: KeyObject): string {
  if (type === 'rsa' || type === 'ec') return algorithms[type];
  throw new TypeError(`tokens of service accounts are signed with an RSA or an EC key, not with one of type ${type}`);
}

/**
 * A new key to sign tokens with. One for RSA, which is what most clusters have, takes a tenth of a second and more, so it is not
 * made before it is needed; an EC key takes no time.
 */
export async function createSigningKey(type: SigningKeyType = 'rsa'): Promise<string> {
  const { privateKey } =
    type === 'rsa'
      ? await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
      : await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
