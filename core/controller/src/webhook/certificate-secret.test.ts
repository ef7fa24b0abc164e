import { createAuthority, issueCertificate, readCertificate, splitCertificates } from '@tektite/certificates';
import { kinds } from '@tektite/client';
import { type ControlPlane, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assessCertificates, certificateKeys } from './certificate-data.ts';
import { type CertificateSecretOptions, ensureCertificate } from './certificate-secret.ts';

const day = 24 * 60 * 60 * 1000;
const secret = { namespace: 'default', name: 'hook-certs' };
const hosts = ['hook.default.svc'];
const encode = (text: string) => Buffer.from(text).toString('base64');

let clock: VirtualClock;
let plane: ControlPlane;
let options: CertificateSecretOptions;

beforeEach(async () => {
  clock = virtualClock();
  plane = await startControlPlane({ clock });
  options = { client: plane.client, secret, hosts, validForMs: 30 * day };
});

afterEach(async () => {
  await plane.close();
  expect(clock.pendingTimers).toBe(0);
});

describe('the certificate of webhooks', () => {
  test('is made once and kept in a Secret with the keys Knative uses', async () => {
    const made = await ensureCertificate(options);
    const { data } = await plane.client.get(kinds.Secret, secret);
    expect(Object.keys(data ?? {}).sort()).toEqual(['ca-cert.pem', 'server-cert.pem', 'server-key.pem']);
    const facts = readCertificate(made.certificate);
    expect(facts?.isFor('hook.default.svc')).toBe(true);
    expect(facts?.isSignedBy(made.authorities)).toBe(true);
    expect(Math.abs((facts?.notAfter ?? 0) - clock.now() - 30 * day)).toBeLessThan(1000);
    expect(await ensureCertificate(options)).toMatchObject({ certificate: made.certificate, key: made.key });
  });

  test('is the same for all who ask at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => ensureCertificate(options)));
    expect(new Set(all.map(({ certificate }) => certificate)).size).toBe(1);
    await clock.advance(25 * day);
    const renewed = await Promise.all(Array.from({ length: 8 }, () => ensureCertificate(options)));
    expect(new Set(renewed.map(({ certificate }) => certificate)).size).toBe(1);
    expect(renewed[0]?.certificate).not.toBe(all[0]?.certificate);
  });

  test('is put into a Secret that an installer left empty, and leaves other keys alone', async () => {
    await plane.client.create(kinds.Secret, { metadata: { ...secret, labels: { a: 'b' } }, data: { other: 'eA==' } });
    await ensureCertificate(options);
    const stored = await plane.client.get(kinds.Secret, secret);
    expect(stored.metadata.labels).toEqual({ a: 'b' });
    expect(stored.data).toMatchObject({ other: 'eA==', 'server-cert.pem': expect.any(String) as string });
  });

  test('is renewed when a third of its time is left, and the old authority is trusted until it expires', async () => {
    const first = await ensureCertificate(options);
    await clock.advance(19 * day);
    expect((await ensureCertificate(options)).certificate).toBe(first.certificate);
    await clock.advance(2 * day);
    const second = await ensureCertificate(options);
    expect(second.certificate).not.toBe(first.certificate);
    expect(splitCertificates(second.authorities)).toHaveLength(2);
    expect(splitCertificates(second.authorities)).toContain(first.authorities);
    expect(readCertificate(second.certificate)?.isSignedBy(splitCertificates(second.authorities)[0] ?? '')).toBe(true);
    await clock.advance(21 * day);
    const third = await ensureCertificate(options);
    expect(splitCertificates(third.authorities)).toHaveLength(2);
    expect(splitCertificates(third.authorities)).not.toContain(first.authorities);
  });

  test('is renewed at the configured time', async () => {
    const first = await ensureCertificate({ ...options, renewBeforeMs: day });
    await clock.advance(28 * day);
    expect((await ensureCertificate({ ...options, renewBeforeMs: day })).certificate).toBe(first.certificate);
  });

  test('that expired during a pause is replaced', async () => {
    const first = await ensureCertificate(options);
    await clock.advance(40 * day);
    const second = await ensureCertificate(options);
    expect(second.certificate).not.toBe(first.certificate);
    expect(splitCertificates(second.authorities)).toHaveLength(1);
  });

  test('reports why it is not available', async () => {
    await expect(ensureCertificate({ ...options, secret: { namespace: 'nowhere', name: 'x' } })).rejects.toMatchObject({
      code: 'CERTIFICATE_FAILED',
      message: expect.stringContaining(
        'the certificates in Secret nowhere/x: namespaces "nowhere" not found',
      ) as string,
    });
    const stranger = plane.clientFor({ name: 'jane', groups: ['system:authenticated'] });
    await expect(ensureCertificate({ ...options, client: stranger })).rejects.toMatchObject({
      code: 'CERTIFICATE_FAILED',
      message: expect.stringContaining('forbidden') as string,
    });
    await expect(ensureCertificate(options, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  test('is judged by everything that could make it useless', async () => {
    const authority = await createAuthority('a', clock);
    const other = await createAuthority('b', clock);
    const short = await createAuthority('c', clock, { validForMs: -day / 2 });
    const pair = await issueCertificate(authority, { commonName: 'x', hosts }, clock, { validForMs: 30 * day });
    const byShort = await issueCertificate(short, { commonName: 'x', hosts }, clock, { validForMs: 30 * day });
    const data = (certificate: string, key: string, authorities: string) => ({
      [certificateKeys.certificate]: encode(certificate),
      [certificateKeys.key]: encode(key),
      [certificateKeys.authorities]: encode(authorities),
    });
    const requirements = { now: clock.now(), hosts, renewBeforeMs: 10 * day };
    const reason = (from: Record<string, string> | undefined, more = {}) => {
      const result = assessCertificates(from, { ...requirements, ...more });
      return result.keep ? undefined : result.reason;
    };
    const good = data(pair.certificate, pair.key, other.certificate + authority.certificate);
    expect(reason(good)).toBeUndefined();
    expect(reason(undefined)).toBe('there is none');
    expect(reason({ ...good, [certificateKeys.key]: '' })).toBe('there is none');
    expect(reason(data(pair.certificate, authority.key, authority.certificate))).toBe('the one there cannot be read');
    expect(reason(data('nonsense', pair.key, authority.certificate))).toBe('the one there cannot be read');
    expect(reason(data(pair.certificate, pair.key, other.certificate))).toBe('no authority signed the one there');
    expect(reason(data(byShort.certificate, byShort.key, short.certificate))).toBe('its authority has expired');
    expect(reason(good, { now: clock.now() + 31 * day })).toBe('the one there has expired');
    expect(reason(good, { now: clock.now() + 25 * day })).toBe('the one there expires soon');
    expect(reason(good, { now: clock.now() - 5 * day })).toBe('the one there is not valid yet');
    expect(reason(good, { hosts: ['other.default.svc'] })).toBe('the one there is not for other.default.svc');
  });
});
