import type { TaskRun } from '../../../kinds/task-run.ts';
import type { Step, TaskSpec } from '../../../kinds/task-spec.ts';
import type { WorkspaceBinding, WorkspaceDeclaration, WorkspaceUsage } from '../../../kinds/workspace.ts';
import { stepContainer } from '../../../pod/container-names.ts';
import { paths } from '../../../pod/internal-volumes.ts';
import { paramReplacements } from '../../../substitution/param-replacements.ts';
import { replaceInSidecar, replaceInStep, replaceInTask } from '../../../substitution/replace-in-task.ts';
import { type Replacements, stringReplacements } from '../../../substitution/replacements.ts';
import { withinLimit } from '../../../substitution/size-limit.ts';
import { mountPathOf } from '../../../workspace/apply-workspaces.ts';
import { workspaceVolumes } from '../../../workspace/workspace-volumes.ts';

/** The Task of a run with everything replaced that is known before it runs, in the order in which Tekton does it. */
export function replaceTaskVariables(task: TaskSpec, taskRun: TaskRun, taskName: string): TaskSpec {
  return withinLimit('TaskRunValidationFailed', () => replaceAll(task, taskRun, taskName));
}

function replaceAll(task: TaskSpec, taskRun: TaskRun, taskName: string): TaskSpec {
  const bindings = taskRun.spec.workspaces ?? [];
  let result = replaceInTask(task, paramReplacements(task.params ?? [], taskRun.spec.params ?? [], 'task'));
  result = replaceInTask(result, contextVariables(taskRun, taskName));
  result = replaceInEachStep(result, (step, index) => stepResultVariables(step, stepContainer(step.name, index)));
  result = replaceInTask(result, resultVariables(result));
  result = replaceInEachStep(result, (step, index) => artifactVariables(stepContainer(step.name, index)));
  result = replaceInTask(result, exitCodeVariables(result));
  return replaceWorkspaces(withWorkspacesOf(result, bindings), bindings);
}

function replaceInEachStep(task: TaskSpec, variablesOf: (step: Step, index: number) => Replacements): TaskSpec {
  if (!task.steps) return task;
  return { ...task, steps: task.steps.map((step, index) => replaceInStep(step, variablesOf(step, index))) };
}

/** Bound workspaces are there, declared or not. */
function withWorkspacesOf(task: TaskSpec, bindings: readonly WorkspaceBinding[]): TaskSpec {
  const declared = task.workspaces ?? [];
  const more = bindings.filter(({ name }) => !declared.some((own) => own.name === name)).map(({ name }) => ({ name }));
  return more.length > 0 ? { ...task, workspaces: [...declared, ...more] } : task;
}

/** The names of a run and its Task. */
export function contextVariables({ metadata, status }: TaskRun, taskName: string): Replacements {
  const { name = '', namespace = '', uid = '' } = metadata;
  return stringReplacements([
    ['context.taskRun.name', name],
    ['context.taskRun.namespace', namespace],
    ['context.taskRun.uid', uid],
    ['context.task.name', taskName],
    ['context.task.retry-count', String(status?.retriesStatus?.length ?? 0)],
  ]);
}

const pathForms = (prefix: string, name: string) => [
  `${prefix}.${name}.path`,
  `${prefix}["${name}"].path`,
  `${prefix}['${name}'].path`,
];

/** Each step means its own. */
function stepResultVariables({ results = [] }: Step, container: string): Replacements {
  const path = (name: string) => `${paths.steps}/${container}/results/${name}`;
  return stringReplacements(
    results.flatMap(({ name }) => pathForms('step.results', name).map((form) => [form, path(name)] as const)),
  );
}

function artifactVariables(container: string): Replacements {
  return stringReplacements([
    ['step.artifacts.path', `${paths.steps}/${container}/artifacts/provenance.json`],
    ['artifacts.path', `${paths.artifacts}/provenance.json`],
  ]);
}

function resultVariables({ results = [] }: TaskSpec): Replacements {
  return stringReplacements(
    results.flatMap(({ name }) =>
      pathForms('results', name).map((form) => [form, `${paths.results}/${name}`] as const),
    ),
  );
}

function exitCodeVariables({ steps = [] }: TaskSpec): Replacements {
  return stringReplacements(
    steps.map(({ name }, index) => {
      const container = stepContainer(name, index);
      return [`steps.${container}.exitCode.path`, `${paths.steps}/${container}/exitCode`] as const;
    }),
  );
}

/** Where a step or sidecar mounts a workspace at a different path, the variable has that path there. */
function replaceWorkspaces(task: TaskSpec, bindings: readonly WorkspaceBinding[]): TaskSpec {
  const bound = new Set(bindings.map(({ name }) => name));
  const known: [string, string][] = [];
  let result = task;
  for (const declaration of task.workspaces ?? []) {
    const { name, optional } = declaration;
    const isAbsent = optional === true && !bound.has(name);
    known.push([`workspaces.${name}.bound`, isAbsent ? 'false' : 'true']);
    if (isAbsent) known.push([`workspaces.${name}.path`, '']);
    else result = replacePath(result, `workspaces.${name}.path`, declaration);
  }
  const volumes = workspaceVolumes(bindings);
  for (const { name, persistentVolumeClaim } of bindings) {
    known.push([`workspaces.${name}.claim`, persistentVolumeClaim?.claimName ?? '']);
    const volume = volumes.get(name);
    if (volume) known.push([`workspaces.${name}.volume`, volume.name]);
  }
  return replaceInTask(result, stringReplacements(known));
}

function replacePath(task: TaskSpec, variable: string, declaration: WorkspaceDeclaration): TaskSpec {
  const own = ({ workspaces = [] }: { readonly workspaces?: readonly WorkspaceUsage[] }) =>
    stringReplacements(
      workspaces
        .filter(({ name, mountPath }) => name === declaration.name && mountPath)
        // Of several the first counts.
        .slice(0, 1)
        .map(({ mountPath }) => [variable, mountPath]),
    );
  const isolated: TaskSpec = {
    ...task,
    ...(task.steps ? { steps: task.steps.map((step) => replaceInStep(step, own(step))) } : {}),
    ...(task.sidecars ? { sidecars: task.sidecars.map((sidecar) => replaceInSidecar(sidecar, own(sidecar))) } : {}),
  };
  return replaceInTask(isolated, stringReplacements([[variable, mountPathOf(declaration)]]));
}
