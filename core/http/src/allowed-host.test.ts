import { expect, it } from 'vitest';
import { isAllowedHost } from './allowed-host.ts';

it.each([
  'localhost',
  'LOCALHOST:8080',
  '127.0.0.1:80',
  '[::1]:443',
  '10.1.2.3',
  'tektite.default.svc:8080',
  'a.b.svc.cluster.local',
])('answers %s, which cannot be the name of a web page', (host) => expect(isAllowedHost(host)).toBe(true));

it.each([
  undefined,
  '',
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example:80',
  'a svc',
  'x@localhost',
  '[::1',
  'svc',
])('denies %s', (host) => expect(isAllowedHost(host)).toBe(false));

it('answers names that are given', () => {
  expect(isAllowedHost('machine.example:8080', ['machine.example'])).toBe(true);
});
