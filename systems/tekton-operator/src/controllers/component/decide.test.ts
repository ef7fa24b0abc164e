import { describe, expect, it } from 'vitest';
import {
  decideDependency,
  decideName,
  decideReadiness,
  installedMarks,
  phaseFailure,
  reportsAvailability,
  unreadiness,
} from './decide.ts';

const description = { mainFailed: 'Main Reconcilation failed' };

describe('decideReadiness', () => {
  it('goes on when all sets are ready', () => {
    expect(decideReadiness(description, { isWaiting: false }, true)).toEqual({
      goesOn: true,
      marks: [{ isTrue: 'InstallerSetAvailable' }, { isTrue: 'InstallerSetReady' }],
    });
    expect(decideReadiness(description, { isWaiting: false }, false).marks).toEqual([{ isTrue: 'InstallerSetReady' }]);
  });

  it('waits without a mark while sets are being installed', () => {
    expect(decideReadiness(description, { isWaiting: true }, true)).toEqual({ goesOn: false, marks: [] });
  });

  it('reports the first set that failed', () => {
    const { goesOn, marks } = decideReadiness(description, { isWaiting: false, failure: 'no image' }, true);
    expect(goesOn).toBe(false);
    expect(marks).toEqual([
      { isFalse: 'InstallerSetReady', message: 'Installer set not ready: Main Reconcilation failed: no image' },
    ]);
  });

  it('reports sets that are being replaced, in the whole as well', () => {
    const { marks } = decideReadiness(description, { isWaiting: true, replacing: 'upgrade pending' }, true);
    expect(marks).toContainEqual({ notReady: 'upgrade pending' });
    expect(marks).toContainEqual({
      isFalse: 'PostReconciler',
      message: 'PostReconciliation failed with message: upgrade pending',
    });
  });
});

it('has a reason for sets that are not ready, and none for ready ones', () => {
  expect(unreadiness({ isWaiting: false })).toBeUndefined();
  expect(unreadiness({ isWaiting: true })).toBe('it was not ready in time');
  expect(unreadiness({ isWaiting: true, failure: 'no image' })).toBe('no image');
});

it('ignores a component of another name, in words of its own where it has some', () => {
  expect(decideName({ name: 'pipeline' }, 'pipeline').goesOn).toBe(true);
  expect(decideName({ name: 'pipeline' }, 'other')).toEqual({
    goesOn: false,
    marks: [{ notReady: 'Resource ignored, Expected Name: pipeline, Got Name: other' }],
  });
});

it('marks dependencies as installed where the component reports them', () => {
  const facts = { pipeline: undefined };
  expect(decideDependency({ conditions: ['DependenciesInstalled'] }, 'tekton-pipelines', facts)).toEqual({
    goesOn: true,
    marks: [{ isTrue: 'DependenciesInstalled' }],
  });
  expect(decideDependency({ conditions: [] }, 'tekton-pipelines', facts)).toEqual({ goesOn: true, marks: [] });
});

it('names the phase that failed', () => {
  expect(phaseFailure({}, 'Pre', new Error('no Secret'))).toEqual({
    isFalse: 'PreReconciler',
    message: 'PreReconciliation failed with message: PreReconciliation failed: no Secret',
  });
  expect(phaseFailure({ rawMessages: true }, 'Post', new Error('no Secret'))).toEqual({
    isFalse: 'PostReconciler',
    message: 'PostReconciliation failed: no Secret',
  });
});

it('reports availability by the description, or because an earlier status did', () => {
  const status = { conditions: [{ type: 'InstallerSetAvailable', status: 'True' as const }] };
  expect(reportsAvailability({ conditions: ['InstallerSetAvailable'] }, {})).toBe(true);
  expect(reportsAvailability({ conditions: [] }, { status })).toBe(true);
  expect(reportsAvailability({ conditions: [] }, {})).toBe(false);
});

it('marks the additional controllers of Pipelines as Code only where the component has that condition', () => {
  expect(installedMarks({ conditions: [] })).toEqual([{ isTrue: 'PostReconciler' }]);
  expect(installedMarks({ conditions: ['AdditionalPACControllerInstalled'] })).toEqual([
    { isTrue: 'AdditionalPACControllerInstalled' },
    { isTrue: 'PostReconciler' },
  ]);
});
