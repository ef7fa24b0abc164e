import type { CancelMode } from '../run/index.ts';
import type { RunName } from './run-actions.ts';

/** A word of a shell: quoted where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The commands that do the same as the page: for scripts, and for learning. */
export const commandText = {
  logs: (run: RunName, task?: string) => `tektite logs ${target(run)}${task ? ` --task ${shellWord(task)}` : ''}`,
  cancel: (run: RunName, mode: CancelMode) => `tektite cancel ${target(run)}${mode === 'now' ? '' : ` --mode ${mode}`}`,
  rerun: (run: RunName) => `tektite rerun ${target(run)}`,
  rerunFromFailed: (run: RunName) => `tektite rerun ${target(run)} --from-failed`,
  delete: (run: RunName) =>
    `kubectl delete ${run.kind.toLowerCase()} ${shellWord(run.name)} -n ${shellWord(run.namespace)}`,
  describe: (run: RunName) => `tektite describe ${target(run)}`,
};

function target({ kind, namespace, name }: RunName): string {
  return `${kind.toLowerCase()}/${shellWord(name)} -n ${shellWord(namespace)}`;
}
