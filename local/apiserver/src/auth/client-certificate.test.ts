import { type Clock, systemClock } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate, type KeyPair } from '@tektite/certificates';
import { HttpTestServer } from '../http/test-support.ts';
import { TokenFile } from './token-file.ts';

const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
const day = 24 * 60 * 60 * 1000;
const shifted = (days: number): Clock => ({ ...systemClock, now: () => Date.now() + days * day });

async function whoami(
  server: HttpTestServer,
  as: KeyPair | null,
  headers: Record<string, string> = {},
  version: 'http1' | 'http2' = 'http1',
) {
  const answer = await server[version]('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: review,
    as,
  });
  return answer.code === 201
    ? (answer.object.status as { userInfo: { username: string; groups: string[] } }).userInfo
    : answer.code;
}

describe('a client certificate', () => {
  it.each(['http1', 'http2'] as const)(
    'says who its holder is, by its name and organizations, over %s',
    async (version) => {
      await using server = await HttpTestServer.start();
      const jane = await issueCertificate(
        server.authority,
        { commonName: 'jane', organizations: ['devs', 'ops'] },
        systemClock,
      );
      expect(await whoami(server, jane, {}, version)).toMatchObject({
        username: 'jane',
        groups: ['devs', 'ops', 'system:authenticated'],
      });
      const plain = await issueCertificate(server.authority, { commonName: 'bob' }, systemClock);
      expect(await whoami(server, plain, {}, version)).toMatchObject({
        username: 'bob',
        groups: ['system:authenticated'],
      });
    },
  );

  it('cannot smuggle groups in its name', async () => {
    await using server = await HttpTestServer.start();
    for (const commonName of [
      'x,O=system:masters',
      'x+O=system:masters',
      'x\nO=system:masters',
      'x\\,O=system:masters',
      '#0c0378',
      '"root"',
      'ü "q" <x>',
    ]) {
      const certificate = await issueCertificate(
        server.authority,
        { commonName, organizations: ['a,b', 'c=d'] },
        systemClock,
      );
      expect(await whoami(server, certificate)).toEqual(
        expect.objectContaining({ username: commonName, groups: ['a,b', 'c=d', 'system:authenticated'] }),
      );
    }
  });

  it('is refused from another authority, before and after its time, and when it is for servers', async () => {
    await using server = await HttpTestServer.start({ authenticators: [TokenFile.parse('t,bob,1')] });
    const other = await createAuthority('test', systemClock);
    const masters = { commonName: 'root', organizations: ['system:masters'] };
    const bad = [
      await issueCertificate(other, masters, systemClock),
      await issueCertificate(server.authority, masters, shifted(-1000)),
      await issueCertificate(server.authority, masters, shifted(30)),
      await issueCertificate(server.authority, { ...masters, hosts: ['127.0.0.1'] }, systemClock),
    ];
    for (const certificate of bad) {
      expect(await whoami(server, certificate)).toBe(401);
      // A token still counts.
      expect(await whoami(server, certificate, { authorization: 'Bearer t' })).toMatchObject({ username: 'bob' });
    }
    expect(await whoami(server, null)).toBe(403);
    expect(await whoami(server, null, { authorization: 'Bearer wrong' })).toBe(401);
  });
});
