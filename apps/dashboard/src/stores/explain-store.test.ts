import { expect, it } from 'vitest';
import { ExplainStore } from './explain-store.ts';

it('shows the recent reconciles of an object, newest first, or why it cannot', async () => {
  const asked: string[] = [];
  const records = [{ startedAt: 1 }, { startedAt: 2 }];
  const request = async (path: string) => {
    asked.push(path);
    if (asked.length > 1) throw new Error('forbidden');
    return { records };
  };
  const store = new ExplainStore({ request: request as <T>(path: string) => Promise<T> });
  await store.load('/apis/tekton.dev/v1/namespaces/a/taskruns/b?c');
  expect(asked).toEqual(['/api/explain?path=%2Fapis%2Ftekton.dev%2Fv1%2Fnamespaces%2Fa%2Ftaskruns%2Fb%3Fc']);
  expect(store.records.value?.map(({ startedAt }) => startedAt)).toEqual([2, 1]);
  await store.load('/api/v1/namespaces/x');
  expect(store.error.value).toBe('forbidden');
});
