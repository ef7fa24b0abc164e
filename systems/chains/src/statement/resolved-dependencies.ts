import { goStructJson } from '@tektite/go';
import { executedTaskRuns, type PipelineRun, type RefSource, type TaskRun } from '../kinds/runs.ts';
import { imageMaterials, inputsOfPipelineRun, inputsOfSteps, inputsOfTaskRun } from './materials.ts';
import type { StatementOptions } from './options.ts';
import type { Material, ResourceDescriptor } from './resource-descriptor.ts';
import { orderedDescriptor } from './statement.ts';

/** Differences between the formats that have dependencies. */
export interface DependencyOptions extends StatementOptions {
  /** Results and sources of StepActions count. */
  readonly withSteps: boolean;
}

export function taskDependencies(run: TaskRun, { withSteps }: DependencyOptions): readonly ResourceDescriptor[] {
  const inputs = inputsOfTaskRun(run);
  const found = [
    ...named(imageMaterials(run)),
    ...(withSteps ? [...named(inputsOfSteps(run), 'inputs/result'), ...remoteSteps(run)] : []),
    ...named(inputs, 'inputs/result'),
    // Listed twice upstream, under the name of a kind that is no more; the second is dropped as a repetition.
    ...named(inputs, 'pipelineResource'),
  ];
  return [...source('task', run.status?.provenance?.refSource), ...withoutRepetitions(found)];
}

export function pipelineDependencies(
  run: PipelineRun,
  taskRuns: readonly TaskRun[],
  options: DependencyOptions,
): readonly ResourceDescriptor[] {
  const { withSteps, deepInspection, buildType } = options;
  const executed = executedTaskRuns(run, taskRuns);
  const ofTasks = executed.flatMap((taskRun) => [
    ...(buildType.endsWith('/slsa-tekton')
      ? [wholeTask(taskRun)]
      : source('pipelineTask', taskRun.status?.provenance?.refSource)),
    ...(withSteps ? remoteSteps(taskRun) : []),
    ...named(imageMaterials(taskRun)),
  ]);
  const ofSteps =
    withSteps && deepInspection ? executed.flatMap((taskRun) => named(inputsOfSteps(taskRun), 'inputs/result')) : [];
  return withoutRepetitions([
    ...source('pipeline', run.status?.provenance?.refSource),
    ...ofTasks,
    ...ofSteps,
    ...named(inputsOfPipelineRun(run, taskRuns, deepInspection), 'inputs/result'),
  ]);
}

function named(materials: readonly Material[], name?: string): readonly ResourceDescriptor[] {
  return materials.map((material) => ({ ...material, ...(name === undefined ? {} : { name }) }));
}

function source(name: string, refSource: RefSource | undefined): readonly ResourceDescriptor[] {
  if (refSource === undefined) return [];
  const { uri, digest } = refSource;
  return [{ name, ...(uri === undefined ? {} : { uri }), ...(digest === undefined ? {} : { digest }) }];
}

/** The TaskRun itself: the build type `slsa-tekton` keeps all of it. */
function wholeTask(taskRun: TaskRun): ResourceDescriptor {
  const [found] = source('pipelineTask', taskRun.status?.provenance?.refSource);
  return { ...found, name: 'pipelineTask', content: Buffer.from(goStructJson(taskRun)).toString('base64') };
}

function remoteSteps({ status }: TaskRun): readonly ResourceDescriptor[] {
  return (status?.steps ?? []).flatMap(({ name = '', provenance }) =>
    source(`stepAction/${name}`, provenance?.refSource),
  );
}

/** One dependency of each content; definitions are kept, also where two are the same. */
function withoutRepetitions(list: readonly ResourceDescriptor[]): readonly ResourceDescriptor[] {
  const seen = new Set<string>();
  return list.filter((descriptor) => {
    const { name = '', mediaType: _, ...content } = descriptor;
    const key = JSON.stringify(orderedDescriptor(content));
    if (seen.has(key) && name !== 'task' && name !== 'pipeline' && !name.startsWith('stepAction/')) return false;
    seen.add(key);
    return true;
  });
}
