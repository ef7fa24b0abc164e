import type { Pod } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { podFate, surplusPods } from './decide.ts';

const pod = (extra: Partial<Pod> = {}): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, ...extra });
const placed = { spec: { containers: [], nodeName: 'n' } };
const around = { now: 100_000, nodeExists: true, missingSince: undefined, surplus: false };

describe('pod collection', () => {
  it.each([
    ['that runs', pod(placed), around, { type: 'keep' }],
    [
      'that is to go and never got a node',
      pod({ metadata: { name: 'p', deletionTimestamp: 'x' } }),
      around,
      { type: 'delete' },
    ],
    [
      'whose node was just missed',
      pod(placed),
      { ...around, nodeExists: false, missingSince: 90_000 },
      { type: 'wait', milliseconds: 30_000 },
    ],
    [
      'whose node is gone',
      pod(placed),
      { ...around, nodeExists: false, missingSince: 0 },
      { type: 'delete', fail: { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' } },
    ],
    [
      'that has ended on a node that is gone',
      pod({ ...placed, status: { phase: 'Failed' } }),
      { ...around, nodeExists: false, missingSince: 0 },
      { type: 'delete' },
    ],
    ['that is one too many', pod(placed), { ...around, surplus: true }, { type: 'delete' }],
  ])('decides about a Pod %s', (_title, given, surroundings, expected) => {
    expect(podFate(given, surroundings)).toEqual(expected);
  });

  it('the oldest are one too many', () => {
    const made = (creationTimestamp: string) => pod({ metadata: { name: creationTimestamp, creationTimestamp } });
    const ended = [made('2026-01-03T00:00:00Z'), made('2026-01-01T00:00:00Z'), made('2026-01-02T00:00:00Z')];
    expect([...surplusPods(ended, 1)].map(({ metadata }) => metadata.name)).toEqual([
      '2026-01-01T00:00:00Z',
      '2026-01-02T00:00:00Z',
    ]);
    expect(surplusPods(ended, 3).size).toBe(0);
  });
});
