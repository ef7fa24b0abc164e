import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSigningKey } from '@tektite/apiserver';
import { isKeyPair, type KeyPair } from '@tektite/certificates';
import { UserError } from '../user-error.ts';
import type { Authorities } from './decide-authorities.ts';

/** The keys of a data folder, as files. Each is there as a whole or not at all, also after a crash. */
export class KeyFolder {
  readonly path: string;
  private signing: Promise<string> | undefined;

  constructor(path: string) {
    this.path = path;
  }

  async create(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
  }

  /** `undefined` when the pair is not there. Throws a UserError when the files are not what was written. */
  async readPair(name: string): Promise<KeyPair | undefined> {
    const [certificate, key] = await Promise.all([this.read(`${name}.crt`), this.read(`${name}.key`)]);
    if (certificate === undefined || key === undefined) return undefined;
    if (!isKeyPair({ certificate, key })) throw this.damaged(name);
    return { certificate, key };
  }

  async writePair(name: string, pair: KeyPair): Promise<void> {
    // The key first: a certificate without its key would be taken for a whole pair of another time.
    await rm(join(this.path, `${name}.crt`), { force: true });
    await this.write(`${name}.key`, pair.key, 0o600);
    await this.write(`${name}.crt`, pair.certificate, 0o644);
  }

  async readAuthorities(): Promise<Authorities | undefined> {
    const current = await this.readPair('ca');
    if (!current) return undefined;
    const next = await this.readPair('ca-next');
    const old = await this.read('ca-old.crt');
    return { current, ...(next ? { next } : {}), ...(old === undefined ? {} : { old: { certificate: old } }) };
  }

  /** Makes the next authority the current one. A crash between two steps leaves one that signs and all that are trusted. */
  async promoteNext({ current, next }: Authorities): Promise<void> {
    if (!next) return;
    await this.write('ca-old.crt', current.certificate, 0o644);
    await this.writePair('ca', next);
    await rm(join(this.path, 'ca-next.crt'), { force: true });
    await rm(join(this.path, 'ca-next.key'), { force: true });
  }

  async dropOld(): Promise<void> {
    await rm(join(this.path, 'ca-old.crt'), { force: true });
  }

  /** Signs the tokens of service accounts. Callers share one key, also while it is created. */
  signingKey(): Promise<string> {
    return (this.signing ??= this.loadSigningKey());
  }

  private async loadSigningKey(): Promise<string> {
    const found = await this.read('sa.key');
    if (found !== undefined) return found;
    const key = await createSigningKey();
    await this.write('sa.key', key, 0o600);
    return key;
  }

  private async read(name: string): Promise<string | undefined> {
    const file = join(this.path, name);
    return existsSync(file) ? readFile(file, 'utf8') : undefined;
  }

  private async write(name: string, text: string, mode: number): Promise<void> {
    const file = join(this.path, name);
    const temporary = `${file}.${process.pid}`;
    await writeFile(temporary, text, { mode });
    await rename(temporary, file);
  }

  private damaged(name: string): UserError {
    return new UserError(
      `the keys in ${this.path} cannot be used (${name}.crt and ${name}.key do not belong together). Restore them from a backup, or delete that folder to create new ones; kubeconfigs written before are worthless then.`,
    );
  }
}
