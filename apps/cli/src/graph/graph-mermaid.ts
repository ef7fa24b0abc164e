import { labelOf } from './graph-text.ts';
import type { TaskGraph } from './task-graph.ts';

/** For READMEs and wikis: a Mermaid flowchart. Names are texts, never notation. */
export function graphMermaid({ name, tasks, final }: TaskGraph): string {
  const ids = new Map(tasks.map((task, index) => [task.name, `t${index}`]));
  const text = (value: string) => `"${value.replaceAll('"', '#quot;')}"`;
  const lines = ['---', `title: ${JSON.stringify(name)}`, '---', 'flowchart LR'];
  for (const task of tasks) lines.push(`  ${ids.get(task.name)}[${text(labelOf(task))}]`);
  for (const task of tasks)
    for (const parent of task.parents) lines.push(`  ${ids.get(parent)} --> ${ids.get(task.name)}`);
  if (final.length > 0) {
    lines.push('  subgraph finally');
    final.forEach((task, index) => lines.push(`    f${index}[${text(labelOf(task))}]`));
    lines.push('  end');
    const hasChild = new Set(tasks.flatMap((task) => task.parents));
    for (const task of tasks) if (!hasChild.has(task.name)) lines.push(`  ${ids.get(task.name)} -.-> finally`);
  }
  return `${lines.join('\n')}\n`;
}
