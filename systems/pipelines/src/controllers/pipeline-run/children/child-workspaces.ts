import { posix } from 'node:path';
import { quoteGo } from '@tektite/meta';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineTask, PipelineTaskWorkspace } from '../../../kinds/pipeline-spec.ts';
import type { Sidecar, Step, StepTemplate, TaskSpec } from '../../../kinds/task-spec.ts';
import type { WorkspaceBinding } from '../../../kinds/workspace.ts';
import { replaceText } from '../../../substitution/replace-text.ts';
import { variablesIn } from '../../../substitution/variable-references.ts';
import { contextVariables } from '../decide/context-variables.ts';

/** A workspace that a task needs and the run does not bring. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
}

export interface ChildWorkspaces {
  readonly bindings: readonly WorkspaceBinding[];
  /** The last of the run's workspaces among them that is a claim: its affinity assistant is the one to be near. */
  readonly claimWorkspace?: string;
}

/** Where a claim that is made of a template is found. */
export type ClaimNameOf = (binding: WorkspaceBinding) => string;

/**
 * The workspaces that a child gets: those that its task names, and of a Task within the Pipeline also those that it uses. Of a template, the claim that was made of it. Throws a {@link WorkspaceError}.
 */
export function taskWorkspaces(
  task: PipelineTask,
  taskSpec: TaskSpec | undefined,
  run: PipelineRun,
  claimNameOf: ClaimNameOf,
): ChildWorkspaces {
  const { workspaces = [], taskSpec: embedded } = task;
  const wanted = embedded ? [...workspaces, ...propagated(embedded, workspaces)] : workspaces;
  const optional = new Set((taskSpec?.workspaces ?? []).filter((each) => each.optional).map(({ name }) => name));
  const bound = bind(wanted, run, claimNameOf, ({ name, workspace }) => {
    if (optional.has(name)) return;
    throw new WorkspaceError(
      `expected workspace ${quoteGo(workspace || name)} to be provided by pipelinerun for pipeline task ${quoteGo(task.name)}`,
    );
  });
  const context = contextVariables(run.spec.pipelineRef?.name ?? '', run);
  return {
    ...bound,
    bindings: bound.bindings.map((binding) =>
      binding.subPath ? { ...binding, subPath: replaceText(binding.subPath, context) } : binding,
    ),
  };
}

/** The workspaces of a child Pipeline. What the run does not bring the child does not get. */
export function pipelineWorkspaces(
  { workspaces = [] }: PipelineTask,
  run: PipelineRun,
  claimNameOf: ClaimNameOf,
): readonly WorkspaceBinding[] {
  return bind(workspaces, run, claimNameOf, () => undefined).bindings;
}

function bind(
  wanted: readonly PipelineTaskWorkspace[],
  run: PipelineRun,
  claimNameOf: ClaimNameOf,
  isMissing: (workspace: PipelineTaskWorkspace) => void,
): ChildWorkspaces {
  const given = new Map((run.spec.workspaces ?? []).map((binding) => [binding.name, binding]));
  const bindings: WorkspaceBinding[] = [];
  let claimWorkspace: string | undefined;
  for (const workspace of wanted) {
    const source = given.get(workspace.workspace || workspace.name);
    if (!source) {
      isMissing(workspace);
      continue;
    }
    if (source.persistentVolumeClaim || source.volumeClaimTemplate) claimWorkspace = source.name;
    bindings.push(bindingFor(workspace, source, claimNameOf));
  }
  return { bindings, ...(claimWorkspace === undefined ? {} : { claimWorkspace }) };
}

function bindingFor(
  { name, subPath: inner = '' }: PipelineTaskWorkspace,
  source: WorkspaceBinding,
  claimNameOf: ClaimNameOf,
): WorkspaceBinding {
  const { subPath: outer = '', ...rest } = source;
  const subPath = outer && inner ? posix.join(outer, inner) : outer || inner;
  const at = subPath ? { subPath } : {};
  if (!source.volumeClaimTemplate) return { ...rest, name, ...at };
  return { name, ...at, persistentVolumeClaim: { claimName: claimNameOf(source) } };
}

/** The workspaces that the texts of a Task within a Pipeline use. */
function propagated(task: TaskSpec, named: readonly PipelineTaskWorkspace[]): readonly PipelineTaskWorkspace[] {
  const known = new Set(named.map(({ name }) => name));
  const used = new Set<string>();
  for (const text of textsOf(task)) {
    if (!text.includes('$(workspaces')) continue;
    const { names, violation } = variablesIn(text, 'workspaces');
    if (violation !== undefined) throw new WorkspaceError(`Error while extracting workspace: ${violation}`);
    for (const name of names) if (!known.has(name)) used.add(name);
  }
  return [...used].map((name) => ({ name }));
}

function textsOf({ steps = [], sidecars = [], stepTemplate }: TaskSpec): readonly string[] {
  return [
    ...steps.flatMap((step) => [...textsOfContainer(step), step.script ?? '', ...textsOfParams(step)]),
    ...sidecars.flatMap((sidecar) => [...textsOfContainer(sidecar), sidecar.script ?? '']),
    ...(stepTemplate ? textsOfContainer(stepTemplate) : []),
  ];
}

function textsOfContainer(container: StepTemplate | Sidecar): readonly string[] {
  const { args = [], command = [], workingDir = '', env = [] } = container;
  return [...args, ...command, workingDir, ...env.map(({ value = '' }) => value)];
}

function textsOfParams({ params = [] }: Step): readonly string[] {
  return params.flatMap(({ value }) => (typeof value === 'string' ? [value] : Object.values(value)));
}
