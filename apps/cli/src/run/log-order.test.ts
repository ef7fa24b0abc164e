import type { TaskRun } from '@tektite/pipelines';
import { expect, it } from 'vitest';
import { LogOrder } from './log-order.ts';

function taskRun(podName: string, second: number, status: string): TaskRun {
  const startTime = `2026-01-01T00:00:0${second}Z`;
  return { status: { podName, startTime, conditions: [{ type: 'Succeeded', status }] } } as unknown as TaskRun;
}

it('reads the logs of completed tasks one after the other in the order of their start, then those of tasks that run', async () => {
  const read: string[] = [];
  const order = new LogOrder(async (pod) => {
    read.push(`${pod} starts`);
    await Promise.resolve();
    read.push(`${pod} ends`);
  });
  let listed = () => {};
  const held = order.hold(new Promise<void>((resolve) => (listed = resolve)));
  order.add(taskRun('live', 0, 'Unknown'), [], 0);
  order.add(taskRun('last', 2, 'True'), [], 0);
  order.add(taskRun('second', 1, 'False'), [], 1);
  order.add(taskRun('first', 1, 'True'), [], 0);
  expect(read).toEqual([]);
  listed();
  await held;
  await order.flushed();
  const pods = ['first', 'second', 'last'].flatMap((pod) => [`${pod} starts`, `${pod} ends`]);
  expect(read.slice(0, 7)).toEqual([...pods, 'live starts']);
});

it('reads the logs of tasks at once while a run goes on', () => {
  const read: string[] = [];
  const order = new LogOrder(async (pod) => void read.push(pod));
  order.add(taskRun('a', 1, 'Unknown'), [], 0);
  order.add(taskRun('b', 0, 'Unknown'), [], 0);
  order.add(taskRun('b', 0, 'Unknown'), [], 0);
  expect(read).toEqual(['a', 'b']);
});
