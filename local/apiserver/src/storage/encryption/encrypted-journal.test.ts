import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@tektite/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SegmentJournal } from '../journal/segment-journal.ts';
import { RevisionStore } from '../revision-store.ts';
import { EncryptedJournal, rewriteStale } from './encrypted-journal.ts';
import { type Encryption, readEncryptionConfiguration } from './encryption-configuration.ts';

const key = (name: string, letter: string) => ({ name, secret: Buffer.alloc(32, letter).toString('base64') });

function configuration(...providers: object[]): Encryption {
  return readEncryptionConfiguration(
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['secrets'], providers }],
    }),
  );
}

const aesgcm = (...keys: object[]) => ({ aesgcm: { keys } });
const identity = { identity: {} };
const place = '/registry/secrets/default/password';
const secret = () =>
  ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password' }, data: { a: 'hunter2' } }) as KubeObject;
const config = () =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'public' } }) as KubeObject;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tektite-encryption-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function open(encryption: Encryption | undefined) {
  const segments = await SegmentJournal.open(join(folder, 'state'));
  try {
    const journal = new EncryptedJournal(segments, encryption);
    return { journal, storage: new RevisionStore({ journal }) };
  } catch (error) {
    await segments.close();
    throw error;
  }
}

async function onDisk(): Promise<string> {
  const files = await readdir(join(folder, 'state'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, 'state', file), 'latin1')));
  return texts.join('');
}

describe('a journal with encryption', () => {
  it('has Secrets in plain in memory, and encrypted on disk', async () => {
    const first = await open(configuration(aesgcm(key('one', 'a')), identity));
    await first.storage.write(place, 0, secret());
    await first.storage.write('/registry/configmaps/default/c', 0, config());
    await first.storage.close();
    const bytes = await onDisk();
    expect(bytes).toContain('k8s:enc:aesgcm:v1:one:');
    expect(bytes).not.toContain('hunter2');
    expect(bytes).toContain('public');
    const second = await open(configuration(aesgcm(key('one', 'a')), identity));
    expect(second.storage.get(place)?.value).toMatchObject({ data: { a: 'hunter2' } });
    expect(second.journal.stale).toEqual([]);
    await second.storage.close();
  });

  it('encrypts what was plain, and changes keys, at the next start', async () => {
    const plain = await open(undefined);
    await plain.storage.write(place, 0, secret());
    await plain.storage.close();
    for (const [encryption, name] of [
      [configuration(aesgcm(key('one', 'a')), identity), 'one'],
      [configuration(aesgcm(key('two', 'b'), key('one', 'a'))), 'two'],
    ] as const) {
      const { storage, journal } = await open(encryption);
      expect(journal.stale).toEqual([place]);
      await rewriteStale(storage, journal.stale);
      await storage.close();
      expect(await onDisk()).toContain(`k8s:enc:aesgcm:v1:${name}:`);
    }
    const last = await open(configuration(aesgcm(key('two', 'b'))));
    expect(last.storage.get(place)?.value).toMatchObject({ data: { a: 'hunter2' } });
    expect(last.journal.stale).toEqual([]);
    await last.storage.close();
  });

  it.each([
    ['without a configuration', undefined, /encrypted with the key "one"\. Start with --encryption-provider-config/],
    ['without the key', () => configuration(aesgcm(key('two', 'b'))), /encrypted with the key "one"/],
    ['with another key of that name', () => configuration(aesgcm(key('one', 'x'))), /cannot be decrypted/],
  ])('does not open %s', async (_title, other, message) => {
    const { storage } = await open(configuration(aesgcm(key('one', 'a'))));
    await storage.write(place, 0, secret());
    await storage.close();
    await expect(open(other?.())).rejects.toThrow(message);
  });
});

describe('an encryption configuration', () => {
  const file = (providers: object[]) => () => configuration(...providers);

  it.each([
    ['a provider that is not supported', file([{ kms: {} }]), /providers\[0\]: kms is not supported/],
    ['a key of a wrong length', file([aesgcm({ name: 'a', secret: 'YWJj' })]), /secret is 3 bytes; it has to be/],
    ['no keys', file([aesgcm()]), /aesgcm.keys is empty/],
    ['two keys of one name', file([aesgcm(key('a', 'x'), key('a', 'y'))]), /two keys have the name a/],
    ['another kind', () => readEncryptionConfiguration('kind: Pod'), /expected apiVersion/],
  ])('is refused with %s', (_title, read, message) => {
    expect(read).toThrow(message);
  });
});
