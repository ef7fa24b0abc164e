import { virtualClock } from '@tektite/testkit';
import { expect, it } from 'vitest';
import type { ToolApi } from '../api/tool-answers.ts';
import { ToolStore } from './tool-store.ts';

it('asks one at a time, last for the last change, and again until the answer is final', async () => {
  const clock = virtualClock();
  const asked: string[] = [];
  const answers: ((steps: readonly object[]) => void)[] = [];
  const api = {
    call: (_: string, { name = '' }) => {
      asked.push(name);
      return new Promise((resolve) => answers.push((steps) => resolve({ steps })));
    },
  } as unknown as ToolApi;
  const store = new ToolStore('explain-machine', { api, clock, isFinal: ({ steps }) => steps.length > 0 });
  store.load({ name: 'a' });
  store.load({ name: 'b' });
  store.load({ name: 'c' });
  expect(asked).toEqual(['a']);
  answers[0]?.([]);
  await expect.poll(() => asked).toEqual(['a', 'c']);
  answers[1]?.([]);
  await expect.poll(() => store.answer.value).toEqual({ steps: [] });
  await clock.advance(3000);
  await expect.poll(() => asked).toEqual(['a', 'c', 'c']);
  answers[2]?.([{}]);
  await expect.poll(() => store.answer.value?.steps.length).toBe(1);
  await clock.advance(10_000);
  expect(asked.length).toBe(3);
});
