import type { KnativeCondition } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { ComponentObject } from '../../component/component-object.ts';
import { keys } from '../../installer-set/set-keys.ts';
import type { TektonConfig } from '../../kinds/tekton-config.ts';
import { postUpgradeVersion, preUpgradeVersion } from './config-conditions.ts';
import {
  decideComponent,
  decideName,
  decideUpgrade,
  optionalComponents,
  type DesiredComponent,
  prunerConflict,
  reconcileAgain,
  upgradePendingMarks,
  versionBefore,
} from './decide.ts';

const desired: DesiredComponent = {
  apiVersion: 'operator.tekton.dev/v1alpha1',
  kind: 'TektonPipeline',
  metadata: { name: 'pipeline', labels: { [keys.releaseVersion]: 'v1' }, annotations: {} },
  spec: { targetNamespace: 'tekton-pipelines' },
};

const live = (status?: object, metadata: object = {}): ComponentObject =>
  ({
    ...desired,
    metadata: { ...desired.metadata, generation: 2, ownerReferences: [], ...metadata },
    ...(status ? { status } : {}),
  }) as ComponentObject;

const ready = (status: string, message?: string) => ({
  observedGeneration: 2,
  conditions: [{ type: 'Ready', status, ...(message ? { message } : {}) }],
});

describe('decideComponent', () => {
  it('creates a component that does not exist', () => {
    expect(decideComponent(undefined, desired)).toEqual({ create: desired });
  });

  it('does nothing for a component that is as desired and ready', () => {
    expect(decideComponent(live(ready('True')), desired)).toBeUndefined();
  });

  it('updates the spec, and keeps fields that it does not manage', () => {
    const changed: DesiredComponent = { ...desired, spec: { targetNamespace: 'other' } };
    expect(decideComponent(live(ready('True')), changed)).toMatchObject({
      update: { spec: { targetNamespace: 'other' } },
    });
    expect(decideComponent(live(ready('True')), changed, ['targetNamespace'])).toBeUndefined();
  });

  it('waits for one that is being deleted, and for one whose dependency is being upgraded', () => {
    const deleted = live(ready('True'), { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(decideComponent(deleted, desired)).toEqual({ unready: 'it is being deleted' });
    const upgraded = live(ready('False', 'upgrade pending'));
    expect(decideComponent(upgraded, desired)).toEqual({ unready: 'dependency upgrade pending' });
  });

  it('reports the message of a component that is not ready, and distrusts a status of an earlier generation', () => {
    expect(decideComponent(live(ready('False', 'no image')), desired)).toEqual({ unready: 'no image' });
    expect(decideComponent(live(), desired)).toEqual({ unready: reconcileAgain });
    const earlier = live({ ...ready('True'), observedGeneration: 1 });
    expect(decideComponent(earlier, desired)).toEqual({ unready: reconcileAgain });
  });
});

describe('decideUpgrade', () => {
  const conditions = (type: string, status: 'True' | 'False') => [{ type, status }];

  it('is completed when the status records the version of the operator', () => {
    expect(decideUpgrade({ annotations: { [preUpgradeVersion]: 'v2' } }, 'PreUpgrade', 'v2')).toBe('completed');
    expect(decideUpgrade({ annotations: { [postUpgradeVersion]: 'v2' } }, 'PostUpgrade', 'v2')).toBe('completed');
  });

  it('is pending until its condition is False, and started after that', () => {
    const annotations = { [preUpgradeVersion]: 'v1' };
    expect(decideUpgrade(undefined, 'PreUpgrade', 'v2')).toBe('pending');
    expect(decideUpgrade({ annotations, conditions: conditions('PreUpgrade', 'True') }, 'PreUpgrade', 'v2')).toBe(
      'pending',
    );
    expect(decideUpgrade({ annotations, conditions: conditions('PreUpgrade', 'False') }, 'PreUpgrade', 'v2')).toBe(
      'started',
    );
  });
});

it('ignores a TektonConfig of another name, and says so', () => {
  expect(decideName('config')).toEqual({ goesOn: true, marks: [] });
  expect(decideName('mine')).toEqual({
    goesOn: false,
    marks: [{ notReady: 'Resource ignored, Expected Name: config, Got Name: mine' }],
  });
});

it('reports a pending upgrade only where another version managed the TektonConfig', () => {
  expect(versionBefore({ metadata: { name: 'config', labels: { [keys.releaseVersion]: 'v1' } } })).toBe('v1');
  expect(upgradePendingMarks(undefined)).toEqual([]);
  expect(upgradePendingMarks('v1')).toContainEqual({ notReady: 'Upgrade Pending' });
});

it('rejects a spec that enables both pruners', () => {
  const choices = { eventPruner: 'wanted' } as Parameters<typeof prunerConflict>[0]['choices'];
  expect(prunerConflict({ choices, spec: {} })).toMatch('Invalid Pruner Configuration');
  expect(prunerConflict({ choices, spec: { pruner: { disabled: true } } })).toBeUndefined();
});

it('reports a component that is left out, and when it no longer is', () => {
  const config = (conditions: readonly KnativeCondition[]) => ({ status: { conditions } }) as TektonConfig;
  const [missing] = optionalComponents(config([]), true);
  expect(missing).toMatchObject({ isFalse: 'OptionalComponents', reason: 'ReleaseMissing' });
  expect(optionalComponents(config([]), false)).toEqual([]);
  const before = config([{ type: 'OptionalComponents', status: 'False' }]);
  expect(optionalComponents(before, false)).toEqual([{ isTrue: 'OptionalComponents' }]);
});
