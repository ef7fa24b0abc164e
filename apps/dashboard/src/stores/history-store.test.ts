import { kinds } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { expect, it } from 'vitest';
import type { ToolApi } from '../api/tool-answers.ts';
import { transportApi } from '../test-support.ts';
import { HistoryStore } from './history-store.ts';

it('shows the revisions of sets as they are made, and rolls back only after the plan', async () => {
  await using plane = await startControlPlane();
  const keep = (revision: number) => {
    const head = { revision, appliedAt: '2026-01-01T00:00:00Z', objects: 2, summary: '1 changed' };
    return plane.client.create(kinds.ConfigMap, {
      metadata: {
        namespace: 'default',
        name: `shop.v2.v${revision}`,
        labels: { 'tektite.dev/history-of': 'x', 'tektite.dev/revision': String(revision) },
        annotations: { 'tektite.dev/revision-head': JSON.stringify(head) },
      },
    });
  };
  await keep(1);
  const asked: string[] = [];
  const call = async (tool: string, { revision = '' }) => {
    asked.push(`${tool} ${revision}`);
    if (tool === 'rollback') return { summary: '1 changed', failures: asked.length > 2 ? ['Pod web: denied'] : [] };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' };
    return { objects: [{ object, action: 'update', reason: '', before: 'a: 2', after: 'a: 1' }] };
  };
  const api = { ...transportApi(plane.transport()), call: call as ToolApi['call'] };
  const store = new HistoryStore({ api, clock: systemClock, schedule: (flush) => flush() });
  await expect.poll(() => store.sets.value.length).toBe(1);
  await keep(2);
  await expect.poll(() => store.sets.value[0]?.revisions.map(({ revision }) => revision)).toEqual([2, 1]);
  const [set] = store.sets.value;
  if (!set) throw new Error('no set');
  expect(set).toMatchObject({ namespace: 'default', name: 'shop.v2' });
  await store.plan(set, 1);
  expect(asked).toEqual(['plan-rollback 1']);
  expect(store.rollback.value).toMatchObject({
    phase: 'planned',
    objects: [{ diff: [{ kind: 'removed', text: 'a: 2' }, { kind: 'added' }] }],
  });
  expect(await store.apply(set, 1)).toBe('1 changed');
  expect(store.rollback.value.phase).toBe('none');
  expect(await store.apply(set, 1)).toBeUndefined();
  expect(store.rollback.value).toMatchObject({ phase: 'failed', error: 'Pod web: denied' });
  store.stop();
});
