import { chmodSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseImageReference } from '../image-reference.ts';
import { TestFolder } from '@tektite/testkit/images';
import { loginsIn } from './docker-auths.ts';
import { machineLogins } from './docker-config.ts';

const encoded = (text: string) => ({ auth: Buffer.from(text).toString('base64') });
const users = (auths: object, image: string) =>
  loginsIn(auths as Record<string, unknown>, parseImageReference(image)).map(({ username }) => username);

describe('the logins of a pull Secret', () => {
  it('fit by registry and repository, the most specific first', () => {
    const auths = {
      'registry.example': encoded('all:x'),
      'https://registry.example/team': encoded('team:x'),
      'registry.example/teams': encoded('other:x'),
      'elsewhere.example': encoded('elsewhere:x'),
    };
    expect(users(auths, 'registry.example/team/app')).toEqual(['team', 'all']);
    expect(users(auths, 'registry.example/xx')).toEqual(['all']);
  });

  it.each(['docker.io', 'https://index.docker.io/v1/', 'index.docker.io', 'docker.io/library'])(
    'of Docker Hub may be written as %s',
    (key) => {
      expect(users({ [key]: encoded('hub:x') }, 'busybox')).toEqual(['hub']);
    },
  );

  it('may name hosts by patterns', () => {
    const auths = { '*.dkr.example.com': encoded('any:x') };
    expect(users(auths, 'eu.dkr.example.com/app')).toEqual(['any']);
    expect(users(auths, 'dkr.example.com/app')).toEqual([]);
  });

  it('may have passwords with colons, and entries that are none are skipped', () => {
    const auths = { 'a.example': encoded('me:p:w'), 'b.example': { auth: 7 }, 'c.example': null };
    expect(loginsIn(auths, parseImageReference('a.example/xx'))).toEqual([{ username: 'me', password: 'p:w' }]);
    expect([users(auths, 'b.example/xx'), users(auths, 'c.example/xx')]).toEqual([[], []]);
  });
});

describe('the logins of the machine', () => {
  let folder: TestFolder;
  const path = process.env['PATH'];
  beforeEach(() => {
    folder = new TestFolder();
    process.env['PATH'] = `${folder.path}:${path}`;
  });
  afterEach(() => {
    process.env['PATH'] = path;
    folder[Symbol.dispose]();
  });
  const ask = (image: string) =>
    machineLogins(parseImageReference(image), new AbortController().signal, folder.join('config.json'));

  it('are those of its helpers, then those of the file', async () => {
    const helper = folder.join('docker-credential-test');
    writeFileSync(helper, '#!/bin/sh\nread -r server\nprintf \'{"Username":"%s","Secret":"s"}\' "$1-$server"\n');
    chmodSync(helper, 0o755);
    const config = { credHelpers: { 'helped.example': 'test' }, auths: { 'plain.example': encoded('file:x') } };
    writeFileSync(folder.join('config.json'), JSON.stringify(config));
    expect(await ask('helped.example/app')).toEqual([{ username: 'get-helped.example', password: 's' }]);
    expect(await ask('plain.example/app')).toEqual([{ username: 'file', password: 'x' }]);
  });

  it('are none where the file is missing or its helper does not work', async () => {
    expect(await ask('plain.example/app')).toEqual([]);
    writeFileSync(folder.join('config.json'), JSON.stringify({ credsStore: 'nowhere', auths: {} }));
    expect(await ask('plain.example/app')).toEqual([]);
    writeFileSync(folder.join('config.json'), JSON.stringify({ credsStore: '../../bin/sh' }));
    expect(await ask('plain.example/app')).toEqual([]);
  });
});
