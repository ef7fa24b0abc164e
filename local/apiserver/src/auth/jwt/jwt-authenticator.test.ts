import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '@tektite/certificates';
import { systemClock } from '@tektite/meta';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../../test-support.ts';
import { readAuthenticationConfiguration } from './authentication-configuration.ts';
import { JwtAuthenticator } from './jwt-authenticator.ts';

let issuer: Server;
let url: string;
let certificateAuthority: string;
let signing: Awaited<ReturnType<typeof generateKeyPair>>;

/** An OpenID Connect issuer with one key. */
beforeAll(async () => {
  const authority = await createAuthority('issuer authority', systemClock);
  certificateAuthority = authority.certificate;
  const pair = await issueCertificate(authority, { commonName: 'issuer', hosts: ['127.0.0.1'] }, systemClock);
  signing = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(signing.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }];
  issuer = createServer({ key: pair.key, cert: pair.certificate }, (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/.well-known/openid-configuration')
      response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
    else response.end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => {
    issuer.listen(0, '127.0.0.1', resolve);
  });
  url = `https://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
});

afterAll(() => {
  issuer.closeAllConnections();
  issuer.close();
});

const configuration = (entry: object = {}) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthenticationConfiguration',
  jwt: [
    {
      issuer: { url, audiences: ['cluster'], certificateAuthority },
      claimMappings: {
        username: { claim: 'sub', prefix: 'oidc:' },
        groups: { expression: 'claims.roles.split(",").map(role, "oidc:" + role)' },
        extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
      },
      claimValidationRules: [{ claim: 'hd', requiredValue: 'example.com' }],
      userValidationRules: [{ expression: '!user.username.startsWith("oidc:system:")', message: 'reserved' }],
      ...entry,
    },
  ],
});

const claims = { sub: 'ann', roles: 'dev,ops', tenant: 'blue', hd: 'example.com' };

function token(more: object = {}, { audience = 'cluster', key = signing.privateKey, expires = '10m' } = {}) {
  return new SignJWT({ ...claims, ...more })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer(url)
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(key);
}

async function ask(bearer: string) {
  const issuers = readAuthenticationConfiguration(JSON.stringify(configuration()));
  await using server = await TestServer.start({ authenticators: [new JwtAuthenticator(issuers, systemClock)] });
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const headers = { authorization: `Bearer ${bearer}` };
  const { code, object } = await server.send('POST', path, review, { user: undefined, headers });
  return { code, user: (object.status as unknown as { userInfo?: object } | undefined)?.userInfo };
}

describe('a token of an issuer', () => {
  it('makes its bearer the user that its claims are mapped to', async () => {
    expect(await ask(await token())).toMatchObject({
      code: 201,
      user: {
        username: 'oidc:ann',
        groups: ['oidc:dev', 'oidc:ops', 'system:authenticated'],
        extra: { 'example.com/tenant': ['blue'] },
      },
    });
  });

  it('is not believed when anything about it is wrong', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const bad = {
      'of another audience': await token({}, { audience: 'other' }),
      expired: await token({}, { expires: '-10m' }),
      'signed by another key': await token({}, { key: privateKey }),
      'without a required claim': await token({ hd: 'example.org' }),
      'for a reserved user': await token({ sub: 'system:admin' }),
      'with a claim of another type': await token({ roles: 7 }),
    };
    for (const [title, bearer] of Object.entries(bad)) expect((await ask(bearer)).code, title).toBe(401);
  });
});

describe('an authentication configuration', () => {
  it.each<[string, () => object, RegExp]>([
    ['another kind', () => ({ kind: 'Pod' }), /expected apiVersion/],
    [
      'an issuer without TLS',
      () => configuration({ issuer: { url: 'http://x', audiences: ['a'] } }),
      /url has to start with https/,
    ],
    ['no username', () => configuration({ claimMappings: {} }), /claimMappings.username is missing/],
    [
      'an expression that is none',
      () => configuration({ userValidationRules: [{ expression: 'user.' }] }),
      /userValidationRules\[0\]: /,
    ],
    [
      'a claim without a prefix',
      () => configuration({ claimMappings: { username: { claim: 'sub' } } }),
      /username.prefix is missing/,
    ],
  ])('is refused with %s', (_title, file, message) => {
    expect(() => readAuthenticationConfiguration(JSON.stringify(file()))).toThrow(message);
  });
});
