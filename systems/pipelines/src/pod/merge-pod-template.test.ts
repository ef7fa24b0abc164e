import { expect, it } from 'vitest';
import type { PodTemplate } from '../kinds/pod-template.ts';
import { mergePodTemplate } from './merge-pod-template.ts';

const env = (...names: readonly string[]) => ({ env: names.map((name) => ({ name })) }) as PodTemplate;

it('variables of a run come before those of the default that it does not name', () => {
  expect(mergePodTemplate(env('B', 'C'), env('A', 'B'))).toEqual(env('B', 'C', 'A'));
});

it('variables without a name get lost when there is a default, whatever it says', () => {
  expect(mergePodTemplate(env('', 'A'), { schedulerName: 's' })).toEqual({ schedulerName: 's', ...env('A') });
  expect(mergePodTemplate(env(''), { schedulerName: 's' })).toEqual({ schedulerName: 's' });
  expect(mergePodTemplate(env(''), undefined)).toEqual(env(''));
});
