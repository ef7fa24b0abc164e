import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import {
  createAuthority,
  issueCertificate,
  type KeyPair,
  readCertificate,
  splitCertificates,
} from '@tektite/certificates';
import { GuardedServer } from '@tektite/http';
import type { Clock } from '@tektite/meta';
import { type VirtualClock, virtualClock } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decideAuthorities } from './decide-authorities.ts';
import { KeyFolder } from './key-folder.ts';
import { ServerPki } from './server-pki.ts';

const day = 24 * 60 * 60 * 1000;
const year = 365 * day;

/** Whether a client that trusts the bundle accepts the certificate at that time. */
function accepts(bundle: string, certificate: string, now: number): boolean {
  const facts = readCertificate(certificate);
  return splitCertificates(bundle).some((authority) => {
    const { notAfter = 0 } = readCertificate(authority) ?? {};
    return facts?.isSignedBy(authority) && notAfter > now && facts.notAfter > now && facts.notBefore <= now;
  });
}

describe('the certificates of a control plane', () => {
  let path: string;
  let clock: VirtualClock;
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'tektite-pki-'));
    clock = virtualClock();
  });
  afterEach(() => rm(path, { recursive: true, force: true }));
  const load = () => ServerPki.load(new KeyFolder(path), ['127.0.0.1'], clock);

  it('stay the same across restarts', async () => {
    const first = await load();
    await clock.advance(300 * day);
    const second = await load();
    expect([second.bundle, second.admin]).toEqual([first.bundle, first.admin]);
    expect((await readdir(path)).sort()).toEqual(['admin.crt', 'admin.key', 'ca.crt', 'ca.key']);
  });

  it('never lock out a client that has read its kubeconfig within the last hundred days, in twenty years of one process', async () => {
    // The next check is planned when the one before is done; threads generate its keys, in real time.
    let planned = 0;
    const counted: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimer(ms, act) {
        planned++;
        return clock.setTimer(ms, () => {
          planned--;
          act();
        });
      },
    };
    using pki = await ServerPki.load(new KeyFolder(path), ['127.0.0.1'], counted);
    const errors: unknown[] = [];
    const authorities = new Set<string>();
    let changes = 0;
    pki.keepFresh(
      async () => void changes++,
      (error) => errors.push(error),
    );
    const seen: { bundle: string; admin: string }[] = [];
    for (let round = 0; round * 20 * day < 20 * year; round++) {
      seen.push({ bundle: pki.bundle, admin: pki.admin.certificate });
      authorities.add(pki.authority.certificate);
      const before = seen[Math.max(0, round - 5)] as (typeof seen)[number];
      expect(accepts(before.bundle, pki.server.certificate, clock.now())).toBe(true);
      expect(accepts(pki.bundle, before.admin, clock.now()) || !isValid(before.admin, clock.now())).toBe(true);
      expect(isValid(pki.admin.certificate, clock.now())).toBe(true);
      await clock.advance(20 * day);
      await expect.poll(() => planned, { timeout: 20_000, interval: 1 }).toBe(1);
    }
    expect(errors).toEqual([]);
    expect(authorities.size).toBeGreaterThanOrEqual(2);
    expect(changes).toBeGreaterThanOrEqual(5);
  }, 120_000);

  it('survive a crash at every step of a rotation', async () => {
    await load();
    await clock.advance(8.2 * year);
    const folder = new KeyFolder(path);
    await load();
    expect((await readdir(path)).filter((name) => name.startsWith('ca-'))).toEqual(['ca-next.crt', 'ca-next.key']);
    const authorities = await folder.readAuthorities();
    const old = authorities?.current as KeyPair;
    await clock.advance(200 * day);
    // It died after the old one was kept, and before the next one took its place.
    await writeFile(join(path, 'ca-old.crt'), old.certificate);
    const pki = await load();
    expect(pki.authority).toEqual(authorities?.next);
    expect(splitCertificates(pki.bundle).map((each) => each.trim())).toContain(old.certificate.trim());
    expect(await readFile(join(path, 'ca-old.crt'), 'utf8')).toBe(old.certificate);
  });

  it('are refused when a key is not that of its certificate', async () => {
    await load();
    await writeFile(join(path, 'ca.key'), 'garbage');
    await expect(load()).rejects.toThrow(
      /the keys in .* cannot be used \(ca\.crt and ca\.key do not belong together\)/,
    );
  });

  it('are replaced on a server that listens, while its connections go on', async () => {
    const now = { now: () => Date.now(), monotonic: () => 0, setTimer: clock.setTimer.bind(clock) };
    const authority = await createAuthority('a', now);
    const issue = () => issueCertificate(authority, { commonName: 's', hosts: ['127.0.0.1'] }, now);
    const [first, second] = [await issue(), await issue()];
    await using server = await GuardedServer.start({
      host: '127.0.0.1',
      port: 0,
      tls: { ...first, clientCa: authority.certificate },
      onRequest: (_, response) => void response.end('ok'),
    });
    const open = () =>
      new Promise<ReturnType<typeof connect>>((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.certificate }, () =>
          resolve(socket),
        );
        socket.once('error', reject);
      });
    const before = await open();
    server.use({ ...second, clientCa: authority.certificate });
    const after = await open();
    expect(after.getPeerX509Certificate()?.fingerprint256).toBe(new X509Certificate(second.certificate).fingerprint256);
    const answer = new Promise<string>((resolve) => before.once('data', (chunk: Buffer) => resolve(chunk.toString())));
    before.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    before.destroy();
    after.destroy();
  });
});

function isValid(certificate: string, now: number): boolean {
  return (readCertificate(certificate)?.notAfter ?? 0) > now;
}

it('publishes an authority before it signs, and drops the old one when it has expired', async () => {
  const clock = virtualClock();
  const make = () => createAuthority('x', clock);
  const current = await make();
  const start = clock.now();
  expect(decideAuthorities({ current }, start + 7.9 * year)).toBeUndefined();
  expect(decideAuthorities({ current }, start + 8.1 * year)).toBe('create-next');
  await clock.advance(8.1 * year);
  const next = await make();
  expect(decideAuthorities({ current, next }, clock.now() + 100 * day)).toBeUndefined();
  expect(decideAuthorities({ current, next }, clock.now() + 181 * day)).toBe('promote-next');
  expect(decideAuthorities({ current: next, old: current }, start + 9 * year)).toBeUndefined();
  expect(decideAuthorities({ current: next, old: current }, start + 10.1 * year)).toBe('drop-old');
});
