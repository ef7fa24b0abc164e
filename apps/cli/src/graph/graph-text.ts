import { durationText } from '@tektite/dashboard/run';
import { markOf } from '../tree/tree-lines.ts';
import type { FinalTask, GraphTask, TaskGraph } from './task-graph.ts';

/** For people: a tree. A task that waits for several stands under the one that comes last, and names the others. */
export function graphText({ name, tasks, final }: TaskGraph): string {
  const order = new Map(tasks.map((task, index) => [task.name, index]));
  const children = new Map<string | undefined, GraphTask[]>();
  for (const task of tasks) {
    const under = lastOf(task, tasks, order);
    children.set(under, [...(children.get(under) ?? []), task]);
  }
  const lines = [name];
  const add = (under: string | undefined, indent: string, more: boolean) => {
    const own = children.get(under) ?? [];
    own.forEach((task, index) => {
      const last = index === own.length - 1 && !more;
      const others = task.parents.filter((parent) => parent !== under);
      lines.push(
        `${indent}${last ? '└─ ' : '├─ '}${labelOf(task)}${others.length > 0 ? `  (also after ${others.join(', ')})` : ''}`,
      );
      add(task.name, `${indent}${last ? '   ' : '│  '}`, false);
    });
  };
  add(undefined, '', final.length > 0);
  if (final.length > 0) lines.push(`└─ finally: ${final.map(labelOf).join(', ')}`);
  return `${lines.join('\n')}\n`;
}

/** The name of a task; of a run, with its mark and time. */
export function labelOf({ name, progress }: FinalTask): string {
  if (!progress) return name;
  return [markOf(progress.state), name, progress.tookMs === undefined ? '' : durationText(progress.tookMs)]
    .join(' ')
    .trim();
}

function lastOf(task: GraphTask, tasks: readonly GraphTask[], order: ReadonlyMap<string, number>): string | undefined {
  const last = Math.max(-1, ...task.parents.map((parent) => order.get(parent) ?? -1));
  return tasks[last]?.name;
}
