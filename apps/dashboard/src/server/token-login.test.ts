import { httpTransport } from '@tektite/client';
import { startControlPlane } from '@tektite/testkit';
import { TokenFile } from '@tektite/apiserver';
import { expect, it } from 'vitest';
import { openWithToken, TokenLogin } from './token-login.ts';

it('logs in with a token of the API server and acts with that token alone', async () => {
  await using plane = await startControlPlane({ authenticators: [TokenFile.parse('secret,ann,1,dev\n', 'tokens')] });
  const { config } = await plane.https();
  const login = new TokenLogin(openWithToken(config));
  const logIn = (token: string) => login.logIn({ headers: {}, remoteAddress: '127.0.0.1', given: { token } });
  const visitor = await logIn('secret');
  expect(visitor?.name).toBe('ann');
  // The administrator's certificate of the configuration is not used.
  expect((await visitor?.transport.request({ method: 'GET', path: '/api/v1/secrets' }))?.status).toBe(403);
  for (const token of ['', 'wrong', 'secret\r\nimpersonate-user: admin', 'a b'])
    expect(await logIn(token)).toBeUndefined();
  await login.close();
  const admin = httpTransport(config);
  expect((await admin.request({ method: 'GET', path: '/api/v1/secrets' })).status).toBe(200);
  await admin.close();
});
