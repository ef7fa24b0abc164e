import { seededRandom } from '@tektite/meta';
import { virtualClock } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { EndpointChoice } from './endpoint-choice.ts';

const endpoints = ['10.244.0.2', '10.244.0.3', '10.244.0.4'].map((address) => ({ address, port: 80 }));

it('chooses all endpoints, where a Service has no affinity', () => {
  const choice = new EndpointChoice(virtualClock(), seededRandom(1));
  const chosen = new Set(Array.from({ length: 100 }, () => choice.choose(endpoints, 'client')?.address));
  expect(chosen.size).toBe(3);
  expect(choice.choose([], 'client')).toBeUndefined();
});

it('gives a client the same endpoint until it was silent for too long, or the endpoint has ended', async () => {
  const clock = virtualClock();
  const choice = new EndpointChoice(clock, seededRandom(1), 10_000);
  const first = choice.choose(endpoints, 'client');
  for (let i = 0; i < 50; i++) {
    await clock.advance(9_999);
    expect(choice.choose(endpoints, 'client')).toBe(first);
  }
  const others = endpoints.filter((each) => each !== first);
  const second = choice.choose(others, 'client');
  expect(others).toContain(second);
  expect(choice.choose(endpoints, 'client')).toBe(second);
  const later = new Set<string | undefined>();
  for (let i = 0; i < 50; i++) {
    await clock.advance(10_001);
    later.add(choice.choose(endpoints, 'client')?.address);
  }
  expect(later.size).toBe(3);
});
