import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { systemClock } from '@tektite/meta';
import { expect, it } from 'vitest';
import { createAuthority } from './certificates.ts';
import { signatureAlgorithm } from './pkcs10.ts';
import { isVouchedServer } from './vouched-server.ts';

const hour = 60 * 60 * 1000;

/** As knative makes them: the server has its authority's name, and no key identifier. */
async function sameName(usage = x509.ExtendedKeyUsage.serverAuth) {
  const authority = await createAuthority('hook.team.svc', systemClock, { validForMs: hour });
  const der = Buffer.from(authority.key.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, signatureAlgorithm, false, ['sign']);
  const { publicKey } = await webcrypto.subtle.generateKey(signatureAlgorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=hook.team.svc',
    issuer: 'CN=hook.team.svc',
    publicKey,
    signingKey,
    signingAlgorithm: signatureAlgorithm,
    notBefore: new Date(systemClock.now() - hour),
    notAfter: new Date(systemClock.now() + hour),
    extensions: [new x509.ExtendedKeyUsageExtension([usage])],
  });
  return { shown: new X509Certificate(certificate.toString('pem')), authority: authority.certificate };
}

it('believes a certificate that has the name of the authority that signed it', async () => {
  const { shown, authority } = await sameName();
  expect(isVouchedServer(shown, `no certificate\n${authority}`, systemClock.now())).toBe(true);
});

it('does not believe one that another authority of that name signed', async () => {
  const { shown } = await sameName();
  const { authority } = await sameName();
  expect(isVouchedServer(shown, authority, systemClock.now())).toBe(false);
});

it('does not believe one that vouches for itself', async () => {
  const { authority } = await sameName();
  const { shown } = await sameName();
  expect(isVouchedServer(shown, shown.toString(), systemClock.now())).toBe(false);
  expect(isVouchedServer(new X509Certificate(authority), '', systemClock.now())).toBe(false);
});

it('rejects one that is expired, not yet valid, or not for servers', async () => {
  const { shown, authority } = await sameName();
  expect(isVouchedServer(shown, authority, systemClock.now() + 2 * hour)).toBe(false);
  expect(isVouchedServer(shown, authority, systemClock.now() - 2 * hour)).toBe(false);
  const client = await sameName(x509.ExtendedKeyUsage.clientAuth);
  expect(isVouchedServer(client.shown, client.authority, systemClock.now())).toBe(false);
});
