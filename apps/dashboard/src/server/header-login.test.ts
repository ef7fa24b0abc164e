import type { Impersonation } from '@tektite/client';
import { startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { HeaderLogin } from './header-login.ts';

describe('a login by the header of a proxy', () => {
  const proxy = { addresses: ['10.1.0.0/16', '::1'] };
  const asked: Impersonation[] = [];
  const start = async () => {
    const plane = await startControlPlane();
    const login = new HeaderLogin((who) => {
      asked.push(who);
      return plane.transport();
    }, proxy);
    return { login, plane };
  };
  const from = (remoteAddress: string, headers: Record<string, string>) => ({ remoteAddress, headers, given: {} });

  it('impersonates the user that a trusted proxy names', async () => {
    const { login, plane } = await start();
    const headers = { 'x-forwarded-user': 'ann', 'x-forwarded-groups': 'dev, ops' };
    expect(await login.logIn(from('::ffff:10.1.2.3', headers))).toMatchObject({ name: 'ann' });
    expect(asked.at(-1)).toEqual({ user: 'ann', groups: ['dev', 'ops', 'system:authenticated'] });
    await plane.close();
  });

  it.each([
    ['of another address', '10.2.0.1', { 'x-forwarded-user': 'ann' }],
    ['without a user', '10.1.0.1', {}],
    ['with two users', '10.1.0.1', { 'x-forwarded-user': 'ann,admin' }],
    ['with a user of the system', '10.1.0.1', { 'x-forwarded-user': 'system:admin' }],
  ])('denies requests %s', async (_, address, headers) => {
    const { login, plane } = await start();
    expect(await login.logIn(from(address, headers as Record<string, string>))).toBeUndefined();
    await plane.close();
  });

  it('never adds the groups of the system that a header names', async () => {
    const { login, plane } = await start();
    await login.logIn(from('10.1.0.1', { 'x-forwarded-user': 'eve', 'x-forwarded-groups': 'system:masters' }));
    expect(asked.at(-1)).toEqual({ user: 'eve', groups: ['system:authenticated'] });
    await plane.close();
  });

  it('ends a session when the proxy names another user', async () => {
    const { login, plane } = await start();
    const visitor = await login.logIn(from('10.1.0.1', { 'x-forwarded-user': 'ann' }));
    if (!visitor) throw new Error('no visitor');
    expect(login.isStill(visitor, from('10.1.0.1', { 'x-forwarded-user': 'ann' }))).toBe(true);
    expect(login.isStill(visitor, from('10.1.0.1', { 'x-forwarded-user': 'bob' }))).toBe(false);
    expect(login.isStill(visitor, from('10.9.0.1', { 'x-forwarded-user': 'ann' }))).toBe(false);
    await plane.close();
  });
});
