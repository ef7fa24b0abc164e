import { createHmac } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiServerOptions } from '../server.ts';
import { type AnyObject, ManualClock, TestServer } from '../test-support.ts';
import { createSigningKey } from './service-account-tokens.ts';
import { TokenFile } from './token-file.ts';

let key: string;

beforeAll(async () => {
  key = await createSigningKey();
});

const accounts = '/api/v1/namespaces/default/serviceaccounts';
const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

async function start(options: ApiServerOptions = {}): Promise<{ server: TestServer; clock: ManualClock }> {
  const clock = new ManualClock();
  const server = await TestServer.start({ clock, serviceAccountKey: async () => key, ...options });
  await server.ok('POST', accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot' } });
  return { server, clock };
}

function request(spec: object = {}) {
  return { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
}

async function tokenFor(server: TestServer, spec: object = {}): Promise<string> {
  const answer = await server.ok('POST', `${accounts}/bot/token`, request(spec));
  return (answer.status as { token: string }).token;
}

/** Who the server takes the bearer for; 401 and the like as a number. */
async function bearer(server: TestServer, token: string): Promise<string | number> {
  const { code, object } = await server.send('POST', whoami, review, {
    user: undefined,
    headers: { authorization: `Bearer ${token}` },
  });
  return code === 201 ? (object.status as unknown as { userInfo: { username: string } }).userInfo.username : code;
}

describe('a token of a service account', () => {
  it('makes its bearer that account, with its groups', async () => {
    const { server } = await start();
    await using _ = server;
    const token = await tokenFor(server);
    const answer = await server.ok('POST', whoami, review, {
      user: undefined,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toMatchObject({
      userInfo: {
        username: 'system:serviceaccount:default:bot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    });
  });

  it('is good for the time that was asked for, and a minute of grace', async () => {
    const { server, clock } = await start();
    await using _ = server;
    const token = await tokenFor(server, { expirationSeconds: 600 });
    clock.advance(600 + 59);
    expect(await bearer(server, token)).toBe('system:serviceaccount:default:bot');
    clock.advance(2);
    expect(await bearer(server, token)).toBe(401);
  });

  it('cannot be had for less than ten minutes, or for ever', async () => {
    const { server } = await start();
    await using _ = server;
    for (const expirationSeconds of [1, 599, -5, 2 ** 33])
      expect((await server.send('POST', `${accounts}/bot/token`, request({ expirationSeconds }))).code).toBe(422);
  });

  it('ends with its account, also when another one of that name comes', async () => {
    const { server } = await start();
    await using _ = server;
    const token = await tokenFor(server);
    await server.ok('DELETE', `${accounts}/bot`);
    expect(await bearer(server, token)).toBe(401);
    await server.ok('POST', accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot' } });
    expect(await bearer(server, token)).toBe(401);
  });

  it('ends a minute after the deletion of an account that finalizers hold', async () => {
    const { server, clock } = await start();
    await using _ = server;
    const token = await tokenFor(server, { expirationSeconds: 7200 });
    await server.ok(
      'PATCH',
      `${accounts}/bot`,
      { metadata: { finalizers: ['example.com/wait'] } },
      {
        headers: { 'content-type': 'application/merge-patch+json' },
      },
    );
    await server.ok('DELETE', `${accounts}/bot`);
    expect(await bearer(server, token)).toBe('system:serviceaccount:default:bot');
    clock.advance(62);
    expect(await bearer(server, token)).toBe(401);
  });

  it.each([
    ['Secret', 'secrets', { type: 'Opaque' }],
    ['Pod', 'pods', { spec: { serviceAccountName: 'bot', containers: [{ name: 'c', image: 'i' }] } }],
  ])('that is bound to a %s ends with it', async (kind, plural, content) => {
    const { server } = await start();
    await using _ = server;
    const url = `/api/v1/namespaces/default/${plural}`;
    const object = await server.ok('POST', url, { apiVersion: 'v1', kind, metadata: { name: 'bound' }, ...content });
    const boundObjectRef = { kind, apiVersion: 'v1', name: 'bound', uid: object.metadata.uid };
    const token = await tokenFor(server, { boundObjectRef });
    expect(await bearer(server, token)).toBe('system:serviceaccount:default:bot');
    const wrong = { ...boundObjectRef, uid: 'other' };
    expect((await server.send('POST', `${accounts}/bot/token`, request({ boundObjectRef: wrong }))).code).toBe(409);
    await server.ok('DELETE', `${url}/bound`);
    expect(await bearer(server, token)).toBe(401);
    expect((await server.send('POST', `${accounts}/bot/token`, request({ boundObjectRef }))).code).toBe(404);
  });

  it('that is bound to a Pod names its node, and is good without that', async () => {
    const { server } = await start();
    await using _ = server;
    const node = await server.ok('POST', '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1' },
    });
    await server.ok('POST', '/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { nodeName: 'n1', serviceAccountName: 'bot', containers: [{ name: 'c', image: 'i' }] },
    });
    const token = await tokenFor(server, { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } });
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await server.ok('POST', whoami, review, { user: undefined, headers });
    expect(status).toMatchObject({
      userInfo: {
        extra: {
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/node-name': ['n1'],
          'authentication.kubernetes.io/node-uid': [node.metadata.uid],
        },
      },
    });
    await server.ok('DELETE', '/api/v1/nodes/n1');
    expect(await bearer(server, token)).toBe('system:serviceaccount:default:bot');
  });

  it('is not bound to a Pod of another account', async () => {
    const { server } = await start();
    await using _ = server;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'other' } };
    await server.ok('POST', accounts, account);
    const spec = { serviceAccountName: 'other', containers: [{ name: 'c', image: 'i' }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'theirs' }, spec };
    await server.ok('POST', '/api/v1/namespaces/default/pods', pod);
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'theirs' };
    const refused = await server.send('POST', `${accounts}/bot/token`, request({ boundObjectRef }));
    expect(refused.code).toBe(400);
    expect(refused.object.message).toBe(
      'cannot bind token for serviceaccount "bot" to pod running with different serviceaccount name.',
    );
  });

  it('for others is not good for this server, but its review says for whom it is', async () => {
    const { server } = await start();
    await using _ = server;
    const token = await tokenFor(server, { audiences: ['vault', 'ci'] });
    expect(await bearer(server, token)).toBe(401);
    const check = async (audiences?: string[]) =>
      (
        await server.ok('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token, ...(audiences ? { audiences } : {}) },
        })
      ).status;
    expect(await check(['ci', 'x'])).toMatchObject({ authenticated: true, audiences: ['ci'] });
    expect(await check(['x'])).toMatchObject({ error: expect.stringContaining('token audiences ["vault" "ci"]') });
    expect((await check()) as { authenticated?: boolean }).not.toHaveProperty('authenticated');
  });

  it('is refused when it is changed, unsigned, signed by another, or nonsense', async () => {
    const { server } = await start();
    await using _ = server;
    const token = await tokenFor(server);
    const [head = '', body = '', signature = ''] = token.split('.');
    const encode = (value: unknown) =>
      Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
    const other = await TestServer.start({ serviceAccountKey: createSigningKey });
    await using __ = other;
    await other.ok('POST', accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot' } });
    const none = `${encode({ alg: 'none' })}.${body}.`;
    const hmacHead = encode({ alg: 'HS256' });
    const hmac = `${hmacHead}.${body}.${createHmac('sha256', key).update(`${hmacHead}.${body}`).digest('base64url')}`;
    for (const bad of [
      `${head}.${encode({ ...claims, sub: 'system:serviceaccount:kube-system:admin' })}.${signature}`,
      `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      `${head}.${body}.`,
      none,
      hmac,
      await tokenFor(other),
      'a.b.c',
      '..',
      'x'.repeat(10_000),
      `${'x'.repeat(5000)}.${'y'.repeat(5000)}.z`,
    ])
      expect(await bearer(server, bad)).toBe(401);
    expect(await bearer(server, token)).toBe('system:serviceaccount:default:bot');
  });

  it.each([
    ['rsa', 'RS256'],
    ['ec', 'ES256'],
  ] as const)('is signed with a key of type %s as %s', async (type, alg) => {
    const own = await createSigningKey(type);
    const { server } = await start({ serviceAccountKey: async () => own });
    await using _ = server;
    const token = await tokenFor(server);
    const [head = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toMatchObject({ alg });
    expect(await bearer(server, token)).toBe('system:serviceaccount:default:bot');
  });

  it('is verified by others with the keys that its issuer is discovered to have', async () => {
    const { server, clock } = await start();
    await using _ = server;
    const read = async (path: string, user?: { name: string; groups: string[] }) => {
      const answer = await server.handle('GET', path, undefined, user ? { user } : {});
      return { ...answer, json: answer.type === 'text' ? JSON.parse(answer.text) : undefined };
    };
    const found = await read('/.well-known/openid-configuration');
    expect([found.code, found.headers]).toEqual([200, { 'cache-control': 'public, max-age=3600' }]);
    expect(found.json).toEqual({
      issuer: 'https://kubernetes.default.svc',
      jwks_uri: 'https://kubernetes.default.svc/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
    const { json: keys, ...answer } = await read('/openid/v1/jwks');
    expect(answer).toMatchObject({ code: 200, contentType: 'application/jwk-set+json' });
    expect(Object.keys(keys.keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    const token = await tokenFor(server, { audiences: ['shop'] });
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: found.json.issuer,
      audience: 'shop',
      currentDate: new Date(clock.now()),
    });
    expect(payload.sub).toBe('system:serviceaccount:default:bot');
    const stranger = { name: 'stranger', groups: ['system:authenticated'] };
    await expect(read('/openid/v1/jwks', stranger)).resolves.toMatchObject({ code: 403 });
  });

  it('survives a restart with the same key, and not another', async () => {
    const { server } = await start();
    await using _ = server;
    const token = await tokenFor(server);
    const { storage } = server.server;
    const again = await TestServer.start({ storage, clock: new ManualClock(), serviceAccountKey: async () => key });
    expect(await bearer(again, token)).toBe('system:serviceaccount:default:bot');
    const changed = await TestServer.start({ storage, clock: new ManualClock(), serviceAccountKey: createSigningKey });
    expect(await bearer(changed, token)).toBe(401);
  });
});

describe('a token file', () => {
  const userOf = (text: string, token: string) => TokenFile.parse(text).userOf(token);

  it.each<[string, string, string, object | undefined]>([
    ['a user', 't1,jane,u1', 't1', { name: 'jane', uid: 'u1', groups: [] }],
    ['groups', 't1,jane,u1,"a,b"', 't1', { name: 'jane', uid: 'u1', groups: ['a', 'b'] }],
    ['one group', 't1,jane,u1,a', 't1', { name: 'jane', uid: 'u1', groups: ['a'] }],
    ['no uid', 't1,jane,', 't1', { name: 'jane', groups: [] }],
    ['quotes around anything', '"t,1","jane ""j"" doe","u1"', 't,1', { name: 'jane "j" doe', uid: 'u1', groups: [] }],
    [
      'several lines, empty ones, and those of Windows',
      't1,jane,1\r\n\r\nt2,bob,2,"g"\r\n',
      't2',
      { name: 'bob', uid: '2', groups: ['g'] },
    ],
    ['more columns than are read', 't1,jane,u1,g,x,y', 't1', { name: 'jane', uid: 'u1', groups: ['g'] }],
    ['the last of two lines for a token', 't1,jane,1\nt1,bob,2', 't1', { name: 'bob', uid: '2', groups: [] }],
    ['no user for an unknown token', 't1,jane,1', 't', undefined],
    ['no user for an empty token', 't1,jane,1', '', undefined],
  ])('has %s', (_, text, token, user) => {
    expect(userOf(text, token)).toEqual(user);
  });

  it.each([
    ['too few columns', 't1,jane'],
    ['no user', 't1,,u1'],
    ['no token', ',jane,u1'],
    ['an open quote', 't1,"jane,u1'],
    ['a quote in the middle', 't1,ja"ne,u1'],
    ['words', 'tokens of mine'],
  ])('with %s is refused, and the line named', (_, line) => {
    expect(() => TokenFile.parse(`ok,bob,1\n${line}\n`, 'tokens.csv')).toThrow(
      /^tokens\.csv, line 2: expected token,user,uid/,
    );
  });

  it('lets its bearers in, in any form of the header', async () => {
    const { server } = await start({ authenticators: [TokenFile.parse('secret,jane,u1,"system:masters"')] });
    await using _ = server;
    const code = async (authorization: string) =>
      (await server.send('GET', '/api/v1/nodes', undefined, { user: undefined, headers: { authorization } })).code;
    expect(await code('Bearer secret')).toBe(200);
    expect(await code('bearer   secret ')).toBe(200);
    expect(await code('Bearer Secret')).toBe(401);
    expect(await code('Bearer secret2')).toBe(401);
    expect(await code('Basic c2VjcmV0')).toBe(403);
    expect(await code('Bearer')).toBe(403);
  });
});

describe('secrets', () => {
  it('are not passed to onError', async () => {
    const reported: unknown[][] = [];
    const { ApiServer } = await import('../server.ts');
    const server = await ApiServer.create({
      onError: (...all) => reported.push(all),
      admission: [
        {
          name: 'Broken',
          mutate: ({ object }) => {
            if (object?.kind === 'Secret') throw new TypeError('broken plugin');
          },
        },
      ],
      authenticators: [TokenFile.parse('hunter2,jane,u1,"system:masters"')],
    });
    const answer = await server.handle({
      method: 'POST',
      path: '/api/v1/namespaces/default/secrets',
      query: new URLSearchParams(),
      headers: { authorization: 'Bearer hunter2' },
      body: Buffer.from(
        JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { p: 'open sesame' } }),
      ),
    });
    await server.close();
    expect(answer.code).toBe(500);
    expect(reported).toHaveLength(1);
    const { inspect } = await import('node:util');
    const text = inspect(reported, { depth: 20, showHidden: true });
    expect(text).toContain('broken plugin');
    expect(text).toContain('/api/v1/namespaces/default/secrets');
    for (const secret of ['hunter2', 'open sesame', Buffer.from('open sesame').toString('base64')]) {
      expect(text).not.toContain(secret);
      expect(JSON.stringify(answer)).not.toContain(secret);
    }
  });

  it('do not come back in the answers to bad requests', async () => {
    const { server } = await start();
    await using _ = server;
    const url = '/api/v1/namespaces/default/secrets';
    const secret = (metadata: object, content: object): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      ...content,
    });
    const answers: AnyObject[] = [];
    for (const body of [
      secret({ name: 'BAD NAME' }, { stringData: { p: 'open sesame' } }),
      secret({ name: 's' }, { type: 'kubernetes.io/tls', stringData: { p: 'open sesame' } }),
      secret({ name: 's' }, { stringData: { 'bad key!': 'open sesame' } }),
      secret(
        { name: 's' },
        { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'open sesame' } },
      ),
    ]) {
      const answer = await server.send('POST', url, body);
      expect(answer.code).toBe(422);
      answers.push(answer.object);
    }
    await server.ok('POST', url, secret({ name: 'fixed' }, { immutable: true, stringData: { p: 'open sesame' } }));
    const changed = secret({ name: 'fixed' }, { immutable: true, stringData: { p: 'new sesame' } });
    answers.push((await server.send('PUT', `${url}/fixed`, changed)).object);
    const text = JSON.stringify(answers);
    expect(text).not.toContain('sesame');
    expect(text).not.toContain(Buffer.from('open sesame').toString('base64'));
  });
});

describe('a bootstrap token', () => {
  const encode = (data: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString('base64')]));
  const good = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:byoh',
  };
  const make = (server: TestServer, data: Readonly<Record<string, string>>, type = 'bootstrap.kubernetes.io/token') =>
    server.ok('POST', '/api/v1/namespaces/kube-system/secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'bootstrap-token-abcdef' },
      type,
      data: encode(data),
    });
  const token = 'abcdef.0123456789abcdef';

  it('is good until it expires', async () => {
    const { server, clock } = await start();
    const expiration = new Date(clock.now() + 60_000).toISOString();
    await make(server, { ...good, expiration });
    expect(await bearer(server, token)).toBe('system:bootstrap:abcdef');
    expect(await bearer(server, 'abcdef.0123456789abcdee')).toBe(401);
    expect(await bearer(server, 'abcdeg.0123456789abcdef')).toBe(401);
    clock.advance(60_000);
    expect(await bearer(server, token)).toBe(401);
  });

  it.each([
    ['is not for authentication', { ...good, 'usage-bootstrap-authentication': 'false' }],
    ['claims a foreign group', { ...good, 'auth-extra-groups': 'system:masters' }],
    ['has another id inside', { ...good, 'token-id': 'zzzzzz' }],
    ['has an expiration that is no time', { ...good, expiration: 'soon' }],
  ])('is refused when it %s', async (_, data) => {
    const { server } = await start();
    await make(server, data);
    expect(await bearer(server, token)).toBe(401);
  });

  it('is refused when its Secret is of another type', async () => {
    const { server } = await start();
    await make(server, good, 'Opaque');
    expect(await bearer(server, token)).toBe(401);
  });
});
