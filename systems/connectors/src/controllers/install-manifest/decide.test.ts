import type { Condition } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { InstallManifest } from '../../kinds/install-manifest.ts';
import { readyEvent, unreadyDependency } from './decide.ts';

const ready = (status: 'True' | 'False' | 'Unknown', reason: string, message = ''): Condition[] => [
  { type: 'Ready', status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' },
];
const manifest = (conditions: readonly Condition[], observedGeneration = 1, metadata: object = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'InstallManifest',
    metadata: { name: 'm', generation: 1, ...metadata },
    spec: {},
    status: { observedGeneration, conditions },
  }) as unknown as InstallManifest;

describe('unreadyDependency', () => {
  it('is none when all are ready in their current generation', () => {
    expect(unreadyDependency(new Map([['a', manifest(ready('True', 'Installed'))]]))).toBeUndefined();
  });

  it('names the first that does not exist, is being deleted, is outdated or is not ready', () => {
    const good = manifest(ready('True', 'Installed'));
    const bad = {
      absent: undefined,
      deleted: manifest(ready('True', 'Installed'), 1, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      outdated: manifest(ready('True', 'Installed'), 0),
      broken: manifest(ready('False', 'Failed')),
    };
    for (const [name, found] of Object.entries(bad))
      expect(
        unreadyDependency(
          new Map([
            ['good', good],
            [name, found],
          ]),
        ),
      ).toBe(name);
  });
});

describe('readyEvent', () => {
  it('reports a new reason once', () => {
    const failed = ready('False', 'Failed', 'no image');
    expect(readyEvent([], failed)).toEqual({ type: 'Warning', reason: 'Failed', message: 'no image' });
    expect(readyEvent(failed, failed)).toBeUndefined();
    expect(readyEvent(failed, ready('True', 'Installed'))).toEqual({
      type: 'Normal',
      reason: 'Installed',
      message: 'everything is installed',
    });
  });

  it('is silent about progress, and about a wait for another InstallManifest', () => {
    expect(readyEvent([], ready('Unknown', 'Installing'))).toBeUndefined();
    expect(readyEvent([], ready('False', 'WaitingForDependency'))).toBeUndefined();
  });
});
