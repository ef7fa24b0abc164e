import { expect, it } from 'vitest';
import { decidePruning } from './decide-pruning.ts';
import { prunerAnnotations } from './prune-limits.ts';
import type { PrunedRun } from './pruned-run.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const run = (name: string, annotations: Readonly<Record<string, string>> = {}, status = 'True'): PrunedRun =>
  ({
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { name, namespace: 'default', annotations, creationTimestamp: `2026-01-01T11:0${name}:00Z` },
    status: { completionTime: '2026-01-01T11:59:00Z', conditions: [{ type: 'Succeeded', status }] },
  }) as unknown as PrunedRun;
const observed = (subject: PrunedRun, global: object, others: readonly PrunedRun[] = [subject]) => ({
  run: subject,
  kind: 'PipelineRun' as const,
  settings: { global: { enforcedConfigLevel: 'global' as const, ...global }, namespaces: new Map() },
  others: () => others,
  now,
});

it('leaves a run alone that has not completed', () => {
  expect(decidePruning(observed(run('1', {}, 'Unknown'), { ttlSecondsAfterFinished: 1 }))).toEqual({});
});

it('writes the TTL first, and deletes an annotation that no longer holds', () => {
  const { ttl: key } = prunerAnnotations;
  expect(decidePruning(observed(run('1'), { ttlSecondsAfterFinished: 90 }))).toEqual({
    annotation: { key, value: '90' },
  });
  expect(decidePruning(observed(run('1', { [key]: '90' }), {}))).toEqual({ annotation: { key, value: null } });
});

it('deletes the oldest runs beyond the limit once, and records that', () => {
  const runs = ['1', '2', '3'].map((name) => run(name));
  const { deletes, annotation } = decidePruning(observed(runs[2] as PrunedRun, { historyLimit: 1 }, runs));
  expect(deletes?.map(({ metadata }) => metadata.name).sort()).toEqual(['1', '2']);
  expect(annotation).toEqual({ key: prunerAnnotations.processed, value: '2026-01-01T12:00:00Z' });
});

it('waits until the TTL has passed, and then deletes the run', () => {
  const marks = { [prunerAnnotations.ttl]: '90', [prunerAnnotations.processed]: 'yes' };
  expect(decidePruning(observed(run('1', marks), { ttlSecondsAfterFinished: 90 }))).toEqual({ requeueMs: 30_000 });
  const old = run('1', { ...marks, [prunerAnnotations.ttl]: '30' });
  expect(decidePruning(observed(old, { ttlSecondsAfterFinished: 30 }))).toEqual({ deletes: [old] });
});
