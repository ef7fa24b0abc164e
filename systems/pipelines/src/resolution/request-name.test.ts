import { expect, it } from 'vitest';
import { resolutionRequestName } from './request-name.ts';

const owner = { namespace: 'ns', name: 'run' };

it('a request has the name that upstream gives it', () => {
  const params = [
    { name: 'b', value: 'x' },
    { name: 'a', value: ['1', '<'] },
  ];
  expect(resolutionRequestName('git', owner, { params, url: 'url' })).toBe('git-668db918322254aaf43cf6634f4cef2e');
});

it('the order of parameters and of keys does not matter', () => {
  const name = (...params: { name: string; value: Record<string, string> | string }[]) =>
    resolutionRequestName('http', owner, { params });
  const [a, b] = [
    { name: 'a', value: { x: '1', y: '2' } },
    { name: 'b', value: '2' },
  ] as const;
  expect(name(a, b)).toBe(name(b, { name: 'a', value: { y: '2', x: '1' } }));
  expect(name(a)).not.toBe(name(b));
});

it('a long resolver name is cut, not the hash', () => {
  const name = resolutionRequestName('r'.repeat(100), owner, {});
  expect(name).toHaveLength(63);
  expect(name).toMatch(/^r{30}-[0-9a-f]{32}$/);
});
