import { validateLabelValue } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { kindOfTemplate } from '../machine/clone-template.ts';
import { machineLabel } from './machine-label.ts';

describe('the label of a host', () => {
  it('is the namespace and name of its machine, and fits whatever their length', () => {
    expect(machineLabel('default', 'm1')).toBe('default.m1');
    const long = machineLabel('n'.repeat(63), 'm'.repeat(200));
    expect(validateLabelValue(long)).toEqual([]);
    expect(long).not.toBe(machineLabel('n'.repeat(63), `${'m'.repeat(199)}x`));
    expect(validateLabelValue(machineLabel('a', `${'b'.repeat(50)}.${'-'.repeat(20)}c`))).toEqual([]);
  });
});

describe('the kind that a template makes', () => {
  it.each([
    ['K8sInstallerConfigTemplate', 'K8sInstallerConfig'],
    ['EchoInstallerConfigTemplate', 'EchoInstallerConfig'],
    ['TemplatedFooTemplate', undefined],
    ['Template', undefined],
    ['Foo', undefined],
  ])('%s makes %s', (template, kind) => {
    expect(kindOfTemplate(template)).toBe(kind);
  });
});
