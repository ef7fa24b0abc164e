import type { TaskRun } from '../kinds/task-run.ts';
import type { TaskSpec } from '../kinds/task-spec.ts';
import type { WorkspaceBinding } from '../kinds/workspace.ts';
import { stepContainer } from '../pod/container-names.ts';
import { paths } from '../pod/internal-volumes.ts';
import { paramReplacements } from '../substitution/param-replacements.ts';
import { replaceInStep, replaceInTask } from '../substitution/replace-in-task.ts';
import { type Replacements, ReplacementSet, stringReplacements } from '../substitution/replacements.ts';
import { mountPathOf } from '../workspace/apply-workspaces.ts';
import { workspaceVolumes } from '../workspace/workspace-volumes.ts';

/** The Task of a run with everything replaced that is known before it runs, in the order in which Tekton does it. */
export function replaceTaskVariables(task: TaskSpec, taskRun: TaskRun, taskName: string): TaskSpec {
  const bindings = taskRun.spec.workspaces ?? [];
  let result = replaceInTask(task, paramReplacements(task.params ?? [], taskRun.spec.params ?? [], 'task'));
  result = replaceInTask(result, contextVariables(taskRun, taskName));
  result = {
    ...result,
    ...(result.steps
      ? { steps: result.steps.map((step, i) => replaceInStep(step, ownStepVariables(stepContainer(step.name, i)))) }
      : {}),
  };
  result = replaceInTask(result, resultVariables(result));
  result = replaceInTask(result, exitCodeVariables(result));
  return replaceInTask(isolatedWorkspaces(result), workspaceVariables(result, bindings));
}

function contextVariables({ metadata, status }: TaskRun, taskName: string): Replacements {
  const { name = '', namespace = '', uid = '' } = metadata;
  return stringReplacements([
    ['context.taskRun.name', name],
    ['context.taskRun.namespace', namespace],
    ['context.taskRun.uid', uid],
    ['context.task.name', taskName],
    ['context.task.retry-count', String(status?.retriesStatus?.length ?? 0)],
  ]);
}

/** `step.results.NAME.path` and `step.artifacts.path`: each step means its own. */
function ownStepVariables(container: string): Replacements {
  const set = new ReplacementSet();
  set.strings.set('step.artifacts.path', `${paths.steps}/${container}/artifacts/provenance.json`);
  return { ...set, strings: new StepResultPaths(set.strings, `${paths.steps}/${container}/results`) };
}

/** Any name of a step's result has a path, declared or not. */
class StepResultPaths extends Map<string, string> {
  private readonly folder: string;

  constructor(entries: ReadonlyMap<string, string>, folder: string) {
    super(entries);
    this.folder = folder;
  }

  override get(name: string): string | undefined {
    const [, result] = /^step\.results\.(.+)\.path$/.exec(name) ?? [];
    return result === undefined ? super.get(name) : `${this.folder}/${result}`;
  }
}

function resultVariables({ results = [] }: TaskSpec): Replacements {
  const entries: [string, string][] = [['artifacts.path', `${paths.artifacts}/provenance.json`]];
  for (const { name } of results)
    for (const form of [`results.${name}.path`, `results["${name}"].path`, `results['${name}'].path`])
      entries.push([form, `${paths.results}/${name}`]);
  return stringReplacements(entries);
}

function exitCodeVariables({ steps = [] }: TaskSpec): Replacements {
  return stringReplacements(
    steps.map(({ name }, index) => {
      const container = stepContainer(name, index);
      return [`steps.${container}.exitCode.path`, `${paths.steps}/${container}/exitCode`] as const;
    }),
  );
}

/** Where a step or sidecar mounts a workspace at a place of its own, that is what the path means there. */
function isolatedWorkspaces(task: TaskSpec): TaskSpec {
  if (!task.steps) return task;
  const steps = task.steps.map((step) => {
    const own = (step.workspaces ?? []).filter(({ mountPath }) => mountPath);
    if (own.length === 0) return step;
    return replaceInStep(
      step,
      stringReplacements(own.map(({ name, mountPath }) => [`workspaces.${name}.path`, mountPath])),
    );
  });
  return { ...task, steps };
}

function workspaceVariables({ workspaces = [] }: TaskSpec, bindings: readonly WorkspaceBinding[]): Replacements {
  const volumes = workspaceVolumes(bindings);
  return stringReplacements(
    workspaces.flatMap((declaration) => {
      const { name } = declaration;
      const binding = bindings.find((each) => each.name === name);
      const absent = declaration.optional && !binding;
      return [
        [`workspaces.${name}.path`, absent ? '' : mountPathOf(declaration)],
        [`workspaces.${name}.bound`, binding ? 'true' : 'false'],
        // Of one that is not bound these are not known, and stay as they are written.
        ...(binding
          ? ([
              [`workspaces.${name}.claim`, binding.persistentVolumeClaim?.claimName ?? ''],
              [`workspaces.${name}.volume`, volumes.get(name)?.name ?? ''],
            ] as const)
          : []),
      ] as const;
    }),
  );
}
