import type { LimitRange, PodSpec } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { applyComputeResources } from './compute-resources.ts';
import { withDefaultResources } from './default-resources.ts';
import { withinLimitRanges } from './limit-range.ts';

const requests = (spec: PodSpec) => (spec.containers ?? []).map(({ resources }) => resources?.requests);

function range(defaultRequest: object, min: object = {}): LimitRange {
  return { spec: { limits: [{ type: 'Container', defaultRequest, min }] } } as unknown as LimitRange;
}

describe('a LimitRange', () => {
  const spec: PodSpec = { containers: [{ name: 'step-a' }, { name: 'step-b' }, { name: 'sidecar-s' }] };

  it('is shared among the steps: they run one after the other', () => {
    expect(requests(withinLimitRanges(spec, [range({ cpu: '1', memory: '101Mi' })]))).toEqual([
      { cpu: '500m', memory: '51712Ki' },
      { cpu: '500m', memory: '51712Ki' },
      undefined,
    ]);
  });

  it('has a least that every step asks for', () => {
    expect(requests(withinLimitRanges(spec, [range({ cpu: '1' }, { cpu: '800m', memory: '1Gi' })]))[0]).toEqual({
      cpu: '800m',
      memory: '1Gi',
    });
  });

  it('does not change what a step asks for itself', () => {
    const own: PodSpec = { containers: [{ name: 'step-a', resources: { requests: { cpu: '7' } } }] };
    expect(requests(withinLimitRanges(own, [range({ cpu: '1', memory: '1Gi' })]))).toEqual([
      { cpu: '7', memory: '1Gi' },
    ]);
  });

  it('counts with others: the smallest default, the largest least', () => {
    const ranges = [range({ cpu: '4' }, { cpu: '100m' }), range({ cpu: '2' }, { cpu: '200m' })];
    expect(requests(withinLimitRanges(spec, ranges))[0]).toEqual({ cpu: '1' });
    expect(withinLimitRanges(spec, [])).toBe(spec);
  });
});

describe('default resources', () => {
  const of = (cpu: string) => ({ requests: { cpu } });
  const settings = { default: of('1'), 'prefix-step': of('2'), 'step-a': of('3'), 'place-scripts': of('4') };

  it('go by name, by the beginning of the name, and else to all', () => {
    const spec: PodSpec = {
      initContainers: [{ name: 'prepare', resources: of('9') }, { name: 'place-scripts' }],
      containers: [
        { name: 'step-a' },
        { name: 'step-b' },
        { name: 'sidecar-s' },
        { name: 'step-c', resources: of('9') },
      ],
    };
    const { initContainers, containers } = withDefaultResources(spec, settings);
    expect(
      [...(initContainers ?? []), ...(containers ?? [])].map(({ resources }) => resources?.requests?.['cpu']),
    ).toEqual(['1', '4', '3', '2', '1', '9']);
  });
});

it('what a run says of the resources of one step is added to what the step says, and claims take the place of its claims', () => {
  const own = { requests: { cpu: '1', memory: '1Gi' }, claims: [{ name: 'old' }] };
  const task = { steps: [{ name: 'a', image: 'i', computeResources: own }] };
  const stepSpecs = [{ name: 'a', computeResources: { requests: { cpu: '2' }, claims: [{ name: 'new' }] } }];
  expect(applyComputeResources(task, { stepSpecs }).steps?.[0]?.computeResources).toEqual({
    requests: { cpu: '2', memory: '1Gi' },
    claims: [{ name: 'new' }],
  });
});
