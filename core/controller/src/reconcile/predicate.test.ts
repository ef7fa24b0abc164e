import { expect, it } from 'vitest';
import { allOf, annotationsChanged, anyOf, type Change, generationChanged, labelsChanged, not } from './predicate.ts';

const object = (metadata: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', ...metadata } });
type Pod = ReturnType<typeof object>;
const from = (before: object, after: object): Change<Pod> => ({
  type: 'modified',
  before: object(before),
  object: object(after),
});

it('distinguishes a new spec or deletion from a new status by the generation', () => {
  const predicate = generationChanged<Pod>();
  expect(predicate(from({ generation: 1 }, { generation: 1, resourceVersion: '2' }))).toBe(false);
  expect(predicate(from({ generation: 1 }, { generation: 2 }))).toBe(true);
  expect(predicate(from({ generation: 1 }, { generation: 1, deletionTimestamp: 'now' }))).toBe(true);
});

it('lets changes of kinds without a generation pass', () => {
  expect(generationChanged<Pod>()(from({}, { resourceVersion: '2' }))).toBe(true);
});

it('compares labels and annotations by value, not by order', () => {
  expect(labelsChanged<Pod>()(from({}, { labels: {} }))).toBe(false);
  expect(labelsChanged<Pod>()(from({ labels: { a: '1', b: '2' } }, { labels: { b: '2', a: '1' } }))).toBe(false);
  expect(labelsChanged<Pod>()(from({ labels: { a: '1' } }, { labels: { a: '2' } }))).toBe(true);
  expect(annotationsChanged<Pod>()(from({ annotations: { a: '1' } }, {}))).toBe(true);
});

it('lets everything pass that is not a change of an object', () => {
  for (const change of [
    { type: 'added', object: object({}), initial: false },
    { type: 'deleted', object: object({}) },
    { type: 'resync', object: object({}) },
  ] as const)
    for (const predicate of [generationChanged<Pod>(), labelsChanged<Pod>(), annotationsChanged<Pod>()])
      expect(predicate(change)).toBe(true);
});

it('can be put together', () => {
  const change = from({ generation: 1, labels: { a: '1' } }, { generation: 1, labels: { a: '2' } });
  expect(anyOf(generationChanged<Pod>(), labelsChanged())(change)).toBe(true);
  expect(allOf(generationChanged<Pod>(), labelsChanged())(change)).toBe(false);
  expect(not(labelsChanged<Pod>())(change)).toBe(false);
});
