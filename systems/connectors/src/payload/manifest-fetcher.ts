import { createHash } from 'node:crypto';
import { isManifestError, type ManifestItem, parseObjects } from '@tektite/manifest';
import type { Clock } from '@tektite/meta';
import { RenderFailure } from '../render-failure.ts';
import { splitSources } from './additional-source.ts';
import { type FetchRules, fetchUrl } from './fetch-url.ts';
import { readLocal } from './read-local.ts';
import type { SourceText } from './source-text.ts';

/** The additional manifests of a Connector. */
export interface AdditionalManifests {
  readonly items: readonly ManifestItem[];
  /** Of all bytes, in the order of the list. */
  readonly digest: string;
}

export interface FetcherOptions extends FetchRules {
  /** Folders that paths may lie in. */
  readonly roots: readonly string[];
}

interface KnownUrl {
  readonly bytes: Uint8Array;
  readonly etag: string | undefined;
  readonly readAt: number;
}

/** How long what a URL gave is taken without asking again. */
export const refreshMs = 600_000;
const firstRetryMs = 60_000;
const maxRetryMs = 600_000;
const maxRemembered = 10_000;

/**
 * Reads additional manifests, and remembers what URLs gave: they are asked again after ten minutes, and when a Connector changed. While
 * a source cannot be read, what it gave last counts.
 */
export class ManifestFetcher {
  private readonly options: FetcherOptions;
  private readonly clock: Clock;
  private readonly urls = new Map<string, KnownUrl>();
  private readonly asked = new Map<string, Promise<Uint8Array>>();
  private readonly failures = new Map<string, number>();
  /** The Connector states that a URL was read for. */
  private readonly states = new Set<string>();
  private readonly parsed = new Map<string, AdditionalManifests>();

  constructor(clock: Clock, options: FetcherOptions) {
    this.clock = clock;
    this.options = options;
  }

  /** `state` identifies the state of the Connector; a new one fetches its URLs again. */
  async read(list: string, state: string, pin: string | undefined, signal?: AbortSignal): Promise<AdditionalManifests> {
    const texts: SourceText[] = [];
    for (const source of splitSources(list)) {
      if ('problem' in source) throw new RenderFailure('InvalidAdditionalManifests', source.problem);
      if ('path' in source) texts.push(...(await readLocal(source.path, this.options.roots)));
      else texts.push({ name: source.url, bytes: await this.readUrl(source.url, state, signal) });
    }
    const hash = createHash('sha256');
    for (const { bytes } of texts) hash.update(bytes);
    const digest = hash.digest('hex');
    if (pin && pin !== digest)
      throw new RenderFailure('DigestMismatch', `${list}: sha256 is ${digest} want ${pin}`, { retryMs: refreshMs });
    return this.parse(`${list}\n${digest}`, texts, digest);
  }

  private parse(key: string, texts: readonly SourceText[], digest: string): AdditionalManifests {
    const known = this.parsed.get(key);
    if (known) return known;
    const read = { items: texts.flatMap(parseText), digest };
    // The list of a Connector that changes all the time must not grow without limit.
    if (this.parsed.size >= maxRemembered) this.parsed.clear();
    this.parsed.set(key, read);
    return read;
  }

  private async readUrl(url: string, state: string, signal?: AbortSignal): Promise<Uint8Array> {
    const known = this.urls.get(url);
    const seen = this.states.has(`${url}\n${state}`);
    if (known && seen && this.clock.monotonic() - known.readAt < refreshMs) return known.bytes;
    const running = this.asked.get(url) ?? this.ask(url, known, signal);
    this.asked.set(url, running);
    try {
      const bytes = await running;
      if (this.states.size >= maxRemembered) this.states.clear();
      this.states.add(`${url}\n${state}`);
      return bytes;
    } finally {
      if (this.asked.get(url) === running) this.asked.delete(url);
    }
  }

  private async ask(url: string, known: KnownUrl | undefined, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const readAt = this.clock.monotonic();
    try {
      const call = { clock: this.clock, ...(known?.etag ? { etag: known.etag } : {}), ...(signal ? { signal } : {}) };
      const { bytes = known?.bytes ?? new Uint8Array(), etag } = await fetchUrl(url, this.options, call);
      this.failures.delete(url);
      this.urls.set(url, { bytes, etag, readAt });
      return bytes;
    } catch (error) {
      if (!(error instanceof RenderFailure) || error.reason !== 'FetchFailed') throw error;
      const count = this.failures.get(url) ?? 0;
      this.failures.set(url, count + 1);
      if (known) {
        this.urls.set(url, { ...known, readAt });
        return known.bytes;
      }
      const retryMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(count, 10));
      throw new RenderFailure('FetchFailed', error.message, { cause: error, retryMs });
    }
  }
}

function parseText({ name, bytes }: SourceText): readonly ManifestItem[] {
  try {
    return parseObjects(Buffer.from(bytes).toString('utf8'), name);
  } catch (error) {
    if (!isManifestError(error)) throw error;
    throw new RenderFailure('ParseFailed', error.message, { cause: error });
  }
}
