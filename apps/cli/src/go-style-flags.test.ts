import { expect, it } from 'vitest';
import { goStyleFlags } from './go-style-flags.ts';

it('takes flags in the style of Go, and leaves all others alone', () => {
  const words = ['controller', '--systems', 'a', '-disable-ha=false', '-kube-api-qps=5.5', '-n', 'default', '-o=json'];
  expect(goStyleFlags(words)).toEqual([
    'controller',
    '--systems',
    'a',
    '--kube-api-qps=5.5',
    '-n',
    'default',
    '-o=json',
  ]);
  expect(goStyleFlags(['-disable-ha=true'])).toEqual(['--disable-ha']);
});
