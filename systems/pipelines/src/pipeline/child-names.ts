import { childName } from '@tektite/meta';
import type { ChildReference } from '../kinds/pipeline-run-spec.ts';

const longest = 63;

/** The names of the runs of one task: those that there are already, or new ones, numbered if there are several. */
export function childNames(
  known: readonly ChildReference[],
  {
    run,
    task,
    kind,
    count,
  }: { readonly run: string; readonly task: string; readonly kind: string; readonly count: number },
): readonly string[] {
  const names = known.filter((child) => child.kind === kind && child.pipelineTaskName === task).map(({ name }) => name);
  if (names.length > 0) return names;
  if (count === 1) return [childName(run, `-${task}`)];
  return Array.from({ length: count }, (_, index) => numberedName(run, task, index, count));
}

/** The number stays readable, also where the name has to be cut. */
function numberedName(run: string, task: string, index: number, count: number): string {
  const name = childName(run, `-${task}-${index}`);
  if (name.endsWith(`-${index}`)) return name;
  return `${childName(run, `-${task}`).slice(0, longest - `-${count}`.length)}-${index}`;
}
