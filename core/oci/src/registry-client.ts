import { createHash } from 'node:crypto';
import { type FetchOptions, fetchUrl, readBody } from '@tektite/client';
import { isTransientStatus, TerminalError } from '@tektite/meta';
import { type ImageReference, mayBePlain } from './image-reference.ts';
import { saveChecked } from './save-checked.ts';
import type { Login } from './login.ts';

const maxManifestBytes = 4 * 1024 * 1024;
/** More than fits into a request, even if it is packed well. */
const maxBlobBytes = 8 * 1024 * 1024;

const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

export interface Layer {
  readonly digest: string;
  readonly mediaType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Manifest {
  readonly layers: readonly Layer[];
  /** Of the manifest itself. */
  readonly digest: string;
}

export interface RegistryOptions {
  /** Where the registry answers, such as a mirror of it: `https://mirror.example`. Default: HTTPS at its own name. */
  readonly origin?: string;
  /** Plain HTTP will do where there is no HTTPS. Default: for registries of this machine and of private networks. */
  readonly mayBePlain?: boolean;
  /** Certificate authorities, PEM, that are trusted besides the usual ones. */
  readonly authorities?: string;
}

/** A manifest that refers to another one, as lists of referrers name it. */
export interface Referrer {
  readonly mediaType: string;
  readonly size: number;
  readonly digest: string;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A manifest with a subject. */
export interface ReferrerManifest {
  readonly mediaType: string;
  readonly artifactType: string;
  readonly subject: { readonly digest: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A part of a blob, as it comes. */
export interface BlobStream {
  /** Where in the blob it begins: 0 when the registry does not send parts. */
  readonly offset: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Reads images from a registry and writes small ones, by the OCI distribution API. Content is checked against its digest. Credentials are
 * sent only to the registry that they are for.
 */
export class RegistryClient {
  private readonly image: ImageReference;
  private readonly login: Login | undefined;
  private readonly signal: AbortSignal;
  private readonly options: RegistryOptions;
  private origin: string | undefined;
  private authorization: string | undefined;

  constructor(image: ImageReference, login: Login | undefined, signal: AbortSignal, options: RegistryOptions = {}) {
    this.image = image;
    this.login = login;
    this.signal = signal;
    this.options = options;
    this.origin = options.origin;
  }

  /** The manifest of the image; of one for many platforms, that for Linux on amd64. */
  async manifest(): Promise<Manifest> {
    const first = await this.readManifest(this.image.reference, this.image.isDigest);
    const { manifests } = first.value as Index;
    if (!manifests) return asManifest(first);
    const platforms = objectsIn<IndexEntry>(manifests);
    const isUsual = ({ platform }: IndexEntry) => platform?.os === 'linux' && platform.architecture === 'amd64';
    const chosen = platforms.find(isUsual) ?? platforms[0];
    if (!chosen) throw new Error('no child with platform linux/amd64 in index');
    return asManifest(await this.readManifest(checkedDigest(chosen.digest), true));
  }

  /** A manifest as the registry has it: of an image, or a list of those for many platforms. Without a digest, the image's own. */
  describe(digest?: string): Promise<ReadManifest> {
    if (digest === undefined) return this.readManifest(this.image.reference, this.image.isDigest);
    return this.readManifest(checkedDigest(digest), true);
  }

  async blob(digest: string): Promise<Buffer> {
    const path = `/v2/${this.image.repository}/blobs/${checkedDigest(digest)}`;
    const body = await readBody(await this.get(path, {}), maxBlobBytes);
    checkDigest(body, digest);
    return body;
  }

  /** Writes a blob into a file. One that is not what its digest says, or too large, leaves none. */
  async saveBlob(digest: string, file: string, maxBytes: number): Promise<void> {
    const response = await this.get(`/v2/${this.image.repository}/blobs/${checkedDigest(digest)}`, {});
    await saveChecked(response.body as AsyncIterable<Uint8Array>, digest, file, maxBytes);
  }

  /** A blob from this offset on. Neither its size nor its digest is checked. */
  async openBlob(digest: string, offset: number): Promise<BlobStream> {
    const path = `/v2/${this.image.repository}/blobs/${checkedDigest(digest)}`;
    const response = await this.get(path, offset === 0 ? {} : { Range: `bytes=${offset}-` });
    const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
    const isPart = response.status === 206 && start === String(offset);
    return { offset: isPart ? offset : 0, chunks: response.body as AsyncIterable<Uint8Array> };
  }

  /** The manifest that the reference names, or `undefined` where the registry has none. */
  async findManifest(): Promise<ReadManifest | undefined> {
    try {
      return await this.describe();
    } catch (error) {
      if (/MANIFEST_UNKNOWN|NAME_UNKNOWN|status code 404/.test((error as Error).message)) return undefined;
      throw error;
    }
  }

  /** Uploads a blob, unless the registry has it. */
  async uploadBlob(digest: string, content: Uint8Array): Promise<void> {
    const blobs = `/v2/${this.image.repository}/blobs`;
    const origin = await this.reach();
    const present = await this.request(`${origin}${blobs}/${checkedDigest(digest)}`, { method: 'HEAD' });
    await present.body?.cancel();
    if (present.ok) return;
    const started = await this.write(`${origin}${blobs}/uploads/`, { method: 'POST' });
    const place = new URL(started.headers.get('location') ?? '', `${origin}${blobs}/uploads/`);
    place.searchParams.set('digest', digest);
    const headers = { 'Content-Type': 'application/octet-stream' };
    await this.write(place.href, { method: 'PUT', body: content, headers });
  }

  /** Uploads a manifest under the reference of the image. */
  async uploadManifest(content: Uint8Array, mediaType: string = manifestTypes[0] as string): Promise<void> {
    await this.putManifest(this.image.reference, content, mediaType);
  }

  /** The manifests that refer to this one. Registries without the API have a list under a tag. */
  async referrers(digest: string): Promise<readonly Referrer[]> {
    const url = `${await this.reach()}/v2/${this.image.repository}/referrers/${checkedDigest(digest)}`;
    const response = await this.request(url, { headers: { Accept: indexTypes[0] as string } });
    const isList = response.headers.get('content-type')?.startsWith(indexTypes[0] as string) ?? false;
    if (response.ok && isList) {
      const list = JSON.parse((await readBody(response, maxManifestBytes)).toString('utf8')) as Index;
      return objectsIn<Referrer>(list.manifests);
    }
    await response.body?.cancel();
    return this.taggedReferrers(digest);
  }

  /** Uploads a manifest that refers to another one, and lists it where the registry does not do so itself. */
  async uploadReferrer(manifest: ReferrerManifest, subject: string): Promise<void> {
    const content = Buffer.from(JSON.stringify(manifest));
    const digest = digestOf(content);
    const response = await this.putManifest(digest, content, manifest.mediaType);
    if (response.headers.get('oci-subject') !== null) return;
    const { mediaType, artifactType, annotations } = manifest;
    const own: Referrer = {
      mediaType,
      size: content.length,
      digest,
      artifactType,
      ...(annotations === undefined ? {} : { annotations }),
    };
    const others = (await this.taggedReferrers(subject)).filter((each) => each.digest !== digest);
    const list = { schemaVersion: 2, mediaType: indexTypes[0], manifests: [...others, own] };
    await this.putManifest(referrersTag(subject), Buffer.from(JSON.stringify(list)), indexTypes[0] as string);
  }

  private async taggedReferrers(digest: string): Promise<readonly Referrer[]> {
    const response = await this.request(
      `${await this.reach()}/v2/${this.image.repository}/manifests/${referrersTag(digest)}`,
      { headers: { Accept: indexTypes[0] as string } },
    );
    if (!response.ok) {
      if (isTransientStatus(response.status)) throw new Error(`referrers of ${digest}: ${await errorIn(response)}`);
      await response.body?.cancel();
      return [];
    }
    const list = JSON.parse((await readBody(response, maxManifestBytes)).toString('utf8')) as Index;
    return objectsIn<Referrer>(list.manifests);
  }

  private async putManifest(reference: string, content: Uint8Array, mediaType: string): Promise<Response> {
    const url = `${await this.reach()}/v2/${this.image.repository}/manifests/${reference}`;
    return this.write(url, { method: 'PUT', body: content, headers: { 'Content-Type': mediaType } });
  }

  private async write(url: string, options: Omit<FetchOptions, 'signal'>): Promise<Response> {
    const response = await this.request(url, options);
    if (!response.ok) {
      const message = `${options.method} ${url}: ${await errorIn(response)}`;
      throw isTransientStatus(response.status) ? new Error(message) : new TerminalError(message);
    }
    await response.body?.cancel();
    return response;
  }

  private async readManifest(reference: string, isDigest: boolean): Promise<ReadManifest> {
    const Accept = [...manifestTypes, ...indexTypes].join(',');
    const response = await this.get(`/v2/${this.image.repository}/manifests/${reference}`, { Accept });
    const body = await readBody(response, maxManifestBytes);
    if (isDigest) checkDigest(body, reference);
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null) throw new Error('could not parse image manifest');
    return { value, digest: digestOf(body), body };
  }

  private async get(path: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const url = (await this.reach()) + path;
    const response = await this.request(url, { headers });
    if (response.ok) return response;
    const message = `GET ${url}: ${await errorIn(response)}`;
    throw isTransientStatus(response.status) ? new Error(message) : new TerminalError(message);
  }

  /** Sends a request, and again with credentials where the registry asks for them. */
  private async request(url: string, options: Omit<FetchOptions, 'signal'>): Promise<Response> {
    const response = await this.send(url, options);
    if (response.status !== 401) return response;
    const challenge = response.headers.get('www-authenticate') ?? '';
    await response.body?.cancel();
    this.authorization = await this.answerChallenge(challenge);
    return this.send(url, options);
  }

  private send(url: string, { headers = {}, ...options }: Omit<FetchOptions, 'signal'>): Promise<Response> {
    const { authorization } = this;
    const all = authorization === undefined ? headers : { ...headers, Authorization: authorization };
    return fetchUrl(url, { ...options, ...this.trusted(), headers: all });
  }

  /** Whether the registry speaks HTTPS; where it is close, plain HTTP will do. */
  private async reach(): Promise<string> {
    if (this.origin !== undefined) return this.origin;
    const { registry } = this.image;
    const options = this.trusted();
    const secure = `https://${registry}`;
    try {
      await (await fetchUrl(`${secure}/v2/`, options)).body?.cancel();
      this.origin = secure;
    } catch (error) {
      if (!(this.options.mayBePlain ?? mayBePlain(registry)) || this.signal.aborted) throw error;
      await (await fetchUrl(`http://${registry}/v2/`, options)).body?.cancel();
      this.origin = `http://${registry}`;
    }
    return this.origin;
  }

  private trusted(): FetchOptions {
    return { signal: this.signal, authorities: this.options.authorities };
  }

  /** `Basic` sends the credentials; `Bearer` sends a token of the named token server. */
  private async answerChallenge(challenge: string): Promise<string> {
    const basic =
      this.login && `Basic ${Buffer.from(`${this.login.username}:${this.login.password}`).toString('base64')}`;
    if (/^basic\b/i.test(challenge)) {
      if (basic === undefined) throw new Error('UNAUTHORIZED: authentication required');
      return basic;
    }
    const fields = new Map(
      Array.from(challenge.matchAll(/(\w{1,64})="([^"]*)"/g), ([, name = '', value = '']) => [name, value]),
    );
    const realm = fields.get('realm');
    if (!/^bearer\b/i.test(challenge) || realm === undefined) throw new Error(`unrecognized challenge: ${challenge}`);
    const url = new URL(realm);
    const service = fields.get('service');
    if (service !== undefined) url.searchParams.set('service', service);
    url.searchParams.set('scope', fields.get('scope') ?? `repository:${this.image.repository}:pull`);
    const headers: Readonly<Record<string, string>> = basic === undefined ? {} : { Authorization: basic };
    const response = await fetchUrl(url.href, { ...this.trusted(), headers });
    const body = await readBody(response, maxManifestBytes);
    if (!response.ok)
      throw new Error(`GET ${url.origin}${url.pathname}: unexpected status code ${describeStatus(response)}`);
    const { token, access_token: other } = JSON.parse(body.toString('utf8')) as {
      token?: string;
      access_token?: string;
    };
    return `Bearer ${token ?? other ?? ''}`;
  }
}

interface IndexEntry {
  readonly digest: string;
  readonly platform?: { readonly os?: string; readonly architecture?: string };
}

interface Index {
  readonly manifests?: readonly IndexEntry[];
}

export interface ReadManifest {
  readonly value: object;
  readonly digest: string;
  /** As the registry sent it: the digest is of these bytes. */
  readonly body: Uint8Array;
}

export function asManifest({ value, digest }: Omit<ReadManifest, 'body'>): Manifest {
  const { layers } = value as { layers?: unknown };
  return { layers: objectsIn<Layer>(layers), digest };
}

/** The objects in a list of a document that was written by anyone. */
export function objectsIn<T extends object>(list: unknown): readonly T[] {
  if (!Array.isArray(list)) return [];
  return list.filter((each): each is T => typeof each === 'object' && each !== null);
}

/** Manifests come from anywhere, and what they call a digest ends up in a path. */
export function checkedDigest(digest: unknown): string {
  if (typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new TerminalError(`cannot parse hash: ${JSON.stringify(digest)}`);
}

/** The tag with the list of referrers, where a registry has no API for it. */
const referrersTag = (digest: string) => checkedDigest(digest).replace(':', '-');

const digestOf = (body: Uint8Array) => `sha256:${createHash('sha256').update(body).digest('hex')}`;

function checkDigest(body: Uint8Array, wanted: string): void {
  const found = digestOf(body);
  if (found !== wanted)
    throw new Error(
      `error verifying sha256 checksum after reading ${body.length} bytes; got "${found}", want "${wanted}"`,
    );
}

/** `404 Not Found` */
const describeStatus = ({ status, statusText }: Response) => `${status} ${statusText}`.trim();

/** The errors of a registry, in the form that container tools print. */
async function errorIn(response: Response): Promise<string> {
  const body = await readBody(response, maxManifestBytes);
  try {
    const { errors = [] } = JSON.parse(body.toString('utf8')) as { errors?: readonly RegistryErrorBody[] };
    const texts = errors.map(({ code, message, detail }) => `${code}: ${message}${detailText(detail)}`);
    if (texts.length > 0)
      return texts.length === 1 ? (texts[0] as string) : `multiple errors returned: ${texts.join('; ')}`;
  } catch {
    // No JSON: the number has to do.
  }
  return `unexpected status code ${describeStatus(response)}`;
}

interface RegistryErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly detail?: unknown;
}

function detailText(detail: unknown): string {
  if (detail === undefined || detail === null) return '';
  if (typeof detail !== 'object') return `; ${String(detail)}`;
  const entries = Object.entries(detail).sort(([a], [b]) => (a < b ? -1 : 1));
  return `; map[${entries.map(([key, value]) => `${key}:${String(value)}`).join(' ')}]`;
}
