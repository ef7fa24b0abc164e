import { expect, it } from 'vitest';
import type { Fault } from '../faults/fault.ts';
import { shrinkFaults } from './shrink-faults.ts';

const all: Fault[] = Array.from({ length: 200 }, (_, nth) => ({
  component: 'program',
  point: 'write',
  nth,
  fault: 'lose',
  amount: 0,
}));

it('finds the two faults of two hundred that matter together', async () => {
  const needs = [17, 140];
  const { faults, isMinimal, runs } = await shrinkFaults(all, async (candidate) =>
    needs.every((nth) => candidate.some((fault) => fault.nth === nth)),
  );
  expect(faults.map(({ nth }) => nth)).toEqual(needs);
  expect(isMinimal).toBe(true);
  expect(runs).toBeLessThan(120);
});

it('says so when it fails without any fault', async () => {
  expect(await shrinkFaults(all, async () => true)).toEqual({ faults: [], runs: 1, isMinimal: true });
});

it('stops after the runs that it is allowed', async () => {
  const { runs, isMinimal } = await shrinkFaults(all, async (candidate) => candidate.length > 150, { maxRuns: 10 });
  expect(runs).toBeLessThanOrEqual(10);
  expect(isMinimal).toBe(false);
});
