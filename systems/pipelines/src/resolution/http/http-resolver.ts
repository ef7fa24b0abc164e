import { createHash, timingSafeEqual } from 'node:crypto';
import { goDurationToMilliseconds, parseGoDuration } from '@tektite/go';
import { fetchUrl, readBody } from '@tektite/client';
import { readSecretValue } from '../read-secret.ts';
import type { Resolver, ResolverPlace, ResolverRequest } from '../resolver.ts';
import { checkRequestUri } from './request-uri.ts';

const maxBody = 1024 * 1024;
const [userParam, secretParam, secretKeyParam] = ['http-username', 'http-password-secret', 'http-password-secret-key'];

/** Files from web servers. */
export const httpResolver: Resolver = {
  type: 'http',
  name: 'Http',
  configName: 'http-resolver-config',
  defaultConfig: { 'fetch-timeout': '1m' },
  validate: checkParams,
  async resolve(request, place) {
    checkParams(request);
    const url = request.params.get('url') ?? '';
    const timeoutMs = readTimeout(request.config['fetch-timeout']);
    const data = await fetchInTime(url, await credentials(request, place), timeoutMs, place);
    const digest = request.params.get('digest');
    if (digest !== undefined) checkDigest(digest, data);
    const sha256 = createHash('sha256').update(data).digest('hex');
    return { data, refSource: { uri: url, digest: { sha256 } } };
  },
};

function checkParams({ params }: ResolverRequest): void {
  const url = params.get('url');
  if (url !== undefined) {
    const scheme = checkRequestUri(url);
    if (scheme !== 'http' && scheme !== 'https') throw new Error(`url ${url} is not a valid http(s) url`);
  }
  checkPair(params, userParam, secretParam);
  checkPair(params, secretParam, userParam);
  if (url === undefined) throw new Error('missing required http resolver params: url');
}

/** A name of a user needs a password, and the other way round. */
function checkPair(params: ReadonlyMap<string, string>, given: string, other: string): void {
  if (!params.has(given)) return;
  if (!params.has(other)) throw new Error(`missing required param ${other} when using ${given}`);
  if (params.get(given) === '') throw new Error(`value ${given} cannot be empty`);
}

function readTimeout(text = '1m'): number {
  try {
    return goDurationToMilliseconds(parseGoDuration(text));
  } catch (cause) {
    throw new Error(`error parsing timeout value ${text}: ${(cause as Error).message}`, { cause });
  }
}

async function credentials(
  { params, namespace }: ResolverRequest,
  place: ResolverPlace,
): Promise<Readonly<Record<string, string>>> {
  const name = params.get(secretParam);
  if (!name) return {};
  const key = params.get(secretKeyParam) || 'password';
  const password = await readSecretValue({ namespace, name, key }, place);
  const pair = Buffer.from(`${params.get(userParam)}:${password}`).toString('base64');
  return { Authorization: `Basic ${pair}` };
}

async function fetchInTime(
  url: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  place: ResolverPlace,
): Promise<Buffer> {
  const overtime = new AbortController();
  const reason = new Error(
    `error fetching URL: Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
  );
  using _timer = place.clock.setTimer(timeoutMs, () => overtime.abort(reason));
  const signal = AbortSignal.any([place.signal, overtime.signal]);
  let response: Response;
  try {
    response = await fetchUrl(url, { signal, headers });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(`error fetching URL: ${(error as Error).message}`, { cause: error });
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`requested URL '${url}' is not found`);
  }
  return await readBody(response, maxBody);
}

const digestLengths: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha512', 128],
]);

function checkDigest(digest: string, data: Uint8Array): void {
  const colon = digest.indexOf(':');
  const [algorithm, value] = [digest.slice(0, colon), digest.slice(colon + 1)];
  const errorFor = (message: string) => new Error(`error validating digest: ${message}`);
  if (colon < 0) throw errorFor(`invalid digest format: ${digest}`);
  const length = digestLengths.get(algorithm);
  if (length === undefined) throw errorFor(`invalid digest algorithm: ${algorithm}`);
  if (value.length !== length)
    throw errorFor(`invalid ${algorithm} digest value, expected length: ${length}, got: ${value.length}`);
  const bad = value.search(/[^0-9a-fA-F]/);
  if (bad >= 0)
    throw errorFor(
      `error decoding expected SHA string: encoding/hex: invalid byte: ${describeByte(value.charCodeAt(bad))}`,
    );
  const computed = createHash(algorithm).update(data).digest();
  if (!timingSafeEqual(Buffer.from(value, 'hex'), computed))
    throw errorFor(`SHA mismatch, expected ${value}, got ${computed.toString('hex')}`);
}

function describeByte(code: number): string {
  const hex = code.toString(16).toUpperCase().padStart(4, '0');
  return code < 128 ? `U+${hex} '${String.fromCharCode(code)}'` : `U+${hex}`;
}
