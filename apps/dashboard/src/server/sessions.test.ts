import { systemRandom } from '@tektite/meta';
import { startControlPlane, virtualClock } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { Sessions } from './sessions.ts';

const hour = 3_600_000;

it('ends sessions that are not used for twelve hours, and all after a week', async () => {
  await using plane = await startControlPlane();
  const visitor = { name: 'ann', transport: plane.transport() };
  const clock = virtualClock();
  const sessions = new Sessions(clock, systemRandom);
  const { id, csrfToken } = sessions.open(visitor);
  for (let hours = 0; hours < 7 * 24; hours += 8) {
    expect(sessions.find(id, csrfToken)).toBe(visitor);
    await clock.advance(8 * hour);
  }
  await clock.advance(1);
  expect(sessions.find(id, csrfToken)).toBeUndefined();
  const idle = sessions.open(visitor);
  await clock.advance(12 * hour + 1);
  expect(sessions.find(idle.id, idle.csrfToken)).toBeUndefined();
});

it('makes room for new sessions with the one that was not used for longest', async () => {
  await using plane = await startControlPlane();
  const visitor = { name: 'ann', transport: plane.transport() };
  const clock = virtualClock();
  const sessions = new Sessions(clock, systemRandom);
  const first = sessions.open(visitor);
  await clock.advance(1);
  const second = sessions.open(visitor);
  await clock.advance(1);
  sessions.find(first.id, first.csrfToken);
  for (let count = 0; count < 999; count++) sessions.open(visitor);
  expect(sessions.size).toBe(1000);
  expect(sessions.find(first.id, first.csrfToken)).toBe(visitor);
  expect(sessions.find(second.id, second.csrfToken)).toBeUndefined();
});
