import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Scenario } from '../run/scenario.ts';
import { tryScenario } from '../run/simulate.ts';
import { guardRealWorld } from './real-world-guard.ts';

const uses: Record<string, () => unknown> = {
  'Date.now()': () => Date.now(),
  'new Date()': () => new Date(),
  'performance.now()': () => performance.now(),
  'setTimeout()': () => setTimeout(() => undefined, 1),
  'setInterval()': () => setInterval(() => undefined, 1),
  'setTimeout() of timers/promises': () => wait(1),
  'AbortSignal.timeout()': () => AbortSignal.timeout(1),
  'random()': () => Math.random(),
  'randomUUID()': () => crypto.randomUUID(),
  'randomBytes()': () => randomBytes(1),
  'fetch()': () => fetch('http://127.0.0.1:1'),
  'connect()': () => connect(1, '127.0.0.1'),
  'fs.promises.readFile()': () => readFile('/dev/null'),
};

describe('inside of a simulation', () => {
  it.each(Object.keys(uses))('%s fails, and the line is named', async (name) => {
    const scenario: Scenario = {
      async act() {
        // Swallowing the error does not help.
        try {
          await uses[name]?.();
        } catch {
          return;
        }
      },
    };
    const { failure } = await tryScenario(scenario, { seed: 1 });
    expect(failure?.oracle).toBe('real world');
    expect(failure?.message).toMatch(/ is called inside of a simulation, at .*real-world-guard\.test\.ts:\d+:\d+$/);
    expect(failure?.message).toContain(name);
  });

  it('dates can be calculated', async () => {
    const scenario: Scenario = { act: async () => void new Date(0).toISOString() };
    expect((await tryScenario(scenario, { seed: 1 })).failure).toBeUndefined();
  });

  it('a second simulation at the same time is refused', () => {
    using _ = guardRealWorld();
    expect(() => guardRealWorld()).toThrow('one after the other');
  });
});

it('everything is as before when the guard is gone', () => {
  const before = [Date, Date.now, Math.random, setTimeout, setImmediate, fetch, performance.now];
  guardRealWorld()[Symbol.dispose]();
  expect([Date, Date.now, Math.random, setTimeout, setImmediate, fetch, performance.now]).toEqual(before);
  expect(Date.now()).toBeGreaterThan(0);
});
