import { type Client, kinds } from '@tektite/client';
import type { SecretReader, SecretRef } from './secret-reader.ts';

const maxEntries = 1024;
/** Upstream's time: a changed Secret holds after it. */
const maxAgeMs = 5000;

/** Reads Secrets and keeps their values for a short time. */
export class CachedSecrets {
  private readonly client: Client;
  private readonly entries = new Map<string, { readonly value: Uint8Array; readonly until: number }>();

  constructor(client: Client) {
    this.client = client;
  }

  /** The reader for Secrets of one namespace. */
  of(namespace: string): SecretReader {
    return (ref) => this.read(namespace, ref);
  }

  private async read(namespace: string, { secretName = '', secretKey = '' }: SecretRef): Promise<Uint8Array> {
    const key = JSON.stringify([namespace, secretName, secretKey]);
    const now = this.client.clock.monotonic();
    const known = this.entries.get(key);
    if (known && known.until > now) return known.value;
    const { data = {} } = await this.client.get(kinds.Secret, { namespace, name: secretName });
    const text = Object.hasOwn(data, secretKey) ? data[secretKey] : undefined;
    if (text === undefined) throw new Error(`cannot find ${secretKey} key in secret ${namespace}/${secretName}`);
    if (this.entries.size >= maxEntries) this.entries.clear();
    const value = Buffer.from(text, 'base64');
    this.entries.set(key, { value, until: now + maxAgeMs });
    return value;
  }
}
