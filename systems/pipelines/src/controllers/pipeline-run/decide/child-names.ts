import { childName } from '@tektite/meta';
import type { ChildReference } from '../../../kinds/pipeline-run-spec.ts';

const maxLength = 63;

/**
 * The names of the runs of one task, numbered if there are several. Those that there are already have the names that
 * they have; a matrix of which only a part was created has all.
 */
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
  if (names.length > 0 && names.length >= count) return names;
  const made =
    count === 1
      ? [childName(run, `-${task}`)]
      : Array.from({ length: count }, (_, index) => numberedName(run, task, index, count));
  const all = new Set(made);
  return names.every((name) => all.has(name)) ? made : names;
}

/** The number stays readable, also where the name has to be cut. */
function numberedName(run: string, task: string, index: number, count: number): string {
  const name = childName(run, `-${task}-${index}`);
  if (name.endsWith(`-${index}`)) return name;
  return `${childName(run, `-${task}`).slice(0, maxLength - `-${count}`.length)}-${index}`;
}
