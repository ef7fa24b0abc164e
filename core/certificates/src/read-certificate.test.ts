import { systemClock } from '@tektite/meta';
import { describe, expect, test } from 'vitest';
import { createAuthority, issueCertificate } from './certificates.ts';
import { isKeyPair, readCertificate, splitCertificates } from './read-certificate.ts';

const hour = 3_600_000;

describe('a certificate', () => {
  test('says how long it is valid, for whom, and by whose word', async () => {
    const authority = await createAuthority('one', systemClock);
    const other = await createAuthority('one', systemClock);
    const request = { commonName: 'x', hosts: ['hook.team.svc', '127.0.0.1'] };
    const pair = await issueCertificate(authority, request, systemClock, { validForMs: hour });
    const facts = readCertificate(pair.certificate);
    expect(Math.abs((facts?.notAfter ?? 0) - systemClock.now() - hour)).toBeLessThan(10_000);
    expect(facts?.notBefore).toBeLessThan(systemClock.now());
    expect(facts?.isFor('hook.team.svc')).toBe(true);
    expect(facts?.isFor('127.0.0.1')).toBe(true);
    expect(facts?.isFor('other.team.svc')).toBe(false);
    expect(facts?.isSignedBy(authority.certificate)).toBe(true);
    expect(facts?.isSignedBy(other.certificate)).toBe(false);
    expect(facts?.isSignedBy('nonsense')).toBe(false);
    expect(isKeyPair(pair)).toBe(true);
    expect(isKeyPair({ ...pair, key: authority.key })).toBe(false);
  });

  test('that is none has nothing to say', () => {
    expect(readCertificate('')).toBeUndefined();
    expect(readCertificate('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')).toBeUndefined();
    expect(isKeyPair({ certificate: 'x', key: 'y' })).toBe(false);
  });

  test('can be taken out of a bundle', async () => {
    const one = await createAuthority('one', systemClock);
    const two = await createAuthority('two', systemClock);
    const bundle = `# first\n${one.certificate}\n# second\n${two.certificate}`;
    expect(splitCertificates(bundle)).toEqual([one.certificate, two.certificate]);
    expect(splitCertificates('nonsense')).toEqual([]);
  });
});
