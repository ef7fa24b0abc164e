import {
  type PipelineRun,
  type PipelineTask,
  pipelineTasksOf,
  type ParamSpec,
  type SignedRun,
  type StepState,
  type TaskRun,
  taskRunsOf,
} from '../kinds/runs.ts';
import { pipelineMaterials, taskMaterials } from './materials.ts';
import type { StatementOptions } from './options.ts';
import { resultReferences } from './result-references.ts';
import type { Statement } from './statement.ts';
import { subjectsOf } from './subjects.ts';

/** SLSA provenance v0.2: the formats `in-toto` and `slsa/v1`. */
export function slsaV02(signed: SignedRun, { builderId, deepInspection }: StatementOptions): Statement {
  const { run } = signed;
  const materials =
    signed.kind === 'TaskRun'
      ? taskMaterials(signed.run)
      : pipelineMaterials(signed.run, signed.taskRuns, deepInspection);
  const specs =
    signed.kind === 'TaskRun' ? signed.run.status?.taskSpec?.params : signed.run.status?.pipelineSpec?.params;
  return {
    _type: 'https://in-toto.io/Statement/v0.1',
    subject: subjectsOf(signed, deepInspection),
    predicateType: 'https://slsa.dev/provenance/v0.2',
    predicate: {
      builder: { id: builderId },
      buildType: `tekton.dev/v1/${signed.kind}`,
      invocation: invocation(run, specs),
      buildConfig:
        signed.kind === 'TaskRun' ? { steps: taskSteps(signed.run) } : tasksConfig(signed.run, signed.taskRuns),
      metadata: metadata(run),
      ...(materials.length === 0 ? {} : { materials }),
    },
  };
}

type Run = TaskRun | PipelineRun;

/** Source, parameters and environment of a run. */
function invocation(run: Run, specs: readonly ParamSpec[] = []): Record<string, unknown> {
  const { uri, digest, entryPoint } = run.status?.provenance?.refSource ?? {};
  const defaults = specs.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  const given = (run.spec?.params ?? []).map(({ name, value }) => [name, value]);
  const isForeign = (name: string) =>
    name !== 'kubectl.kubernetes.io/last-applied-configuration' && !name.startsWith('chains.tekton.dev/');
  const annotations = Object.entries(run.metadata.annotations ?? {}).filter(([name]) => isForeign(name));
  const { labels = {} } = run.metadata;
  const environment = {
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
  return {
    configSource: {
      ...(uri ? { uri } : {}),
      ...(digest && Object.keys(digest).length > 0 ? { digest } : {}),
      ...(entryPoint ? { entryPoint } : {}),
    },
    parameters: Object.fromEntries([...defaults, ...given]) as Record<string, unknown>,
    ...(Object.keys(environment).length === 0 ? {} : { environment }),
  };
}

function metadata({ metadata: { labels }, status }: Run): Record<string, unknown> {
  return {
    ...(status?.startTime === undefined ? {} : { buildStartedOn: status.startTime }),
    ...(status?.completionTime === undefined ? {} : { buildFinishedOn: status.completionTime }),
    completeness: { parameters: false, environment: false, materials: false },
    reproducible: labels?.['chains.tekton.dev/reproducible'] === 'true',
  };
}

type Step = NonNullable<NonNullable<NonNullable<TaskRun['status']>['taskSpec']>['steps']>[number];

function taskSteps({ status }: TaskRun): readonly unknown[] {
  return (status?.steps ?? []).map((state) =>
    stepConfig(status?.taskSpec?.steps?.find(({ name = '' }) => name === (state.name ?? '')) ?? {}, state),
  );
}

function stepConfig({ command = [], script, args }: Step, { imageID = '', name = '' }: StepState): unknown {
  return {
    entryPoint: script || command.join(' '),
    // A list that is not there is printed nevertheless.
    arguments: args ?? null,
    environment: { image: `oci://${imageID.replace(/^docker-pullable:\/\//, '')}`, container: name },
    annotations: null,
  };
}

function tasksConfig(run: PipelineRun, taskRuns: readonly TaskRun[]): unknown {
  if (run.status?.pipelineSpec === undefined) return { tasks: null };
  const count = run.status.pipelineSpec.tasks?.length ?? 0;
  const tasks: unknown[] = [];
  let last = '';
  for (const [index, task] of pipelineTasksOf(run).entries()) {
    const ofTask = taskRunsOf(taskRuns, task);
    if (ofTask.length === 0) continue;
    const isFinal = index >= count;
    const after = [...new Set([...(task.runAfter ?? []), ...resultReferences(task)])];
    const follows = after.length === 0 && isFinal && last !== '' ? [last] : after;
    for (const taskRun of ofTask) {
      const steps = matchingSteps(taskRun);
      if (steps !== undefined) tasks.push(taskConfig(run, task, taskRun, follows, steps));
    }
    if (!isFinal) last = task.name ?? '';
  }
  return { tasks };
}

/** Steps beside their states; `undefined` where the run has not completed, or they do not belong together. */
function matchingSteps({ status }: TaskRun): readonly unknown[] | undefined {
  const [specs, states = []] = [status?.taskSpec?.steps, status?.steps];
  if (status?.completionTime === undefined || specs?.length !== states.length) return undefined;
  const isStrange = specs.some(({ name = '' }, index) => name !== '' && states[index]?.name?.startsWith('unnamed-'));
  return isStrange ? undefined : specs.map((step, index) => stepConfig(step, states[index] as StepState));
}

function taskConfig(
  run: PipelineRun,
  task: PipelineTask,
  taskRun: TaskRun,
  after: readonly string[],
  steps: readonly unknown[],
): unknown {
  const { status } = taskRun;
  const [condition] = status?.conditions ?? [];
  const outcome = { False: 'Failed', True: 'Succeeded', Unknown: 'Running' }[condition?.status ?? ''];
  const account = run.spec?.taskRunTemplate?.serviceAccountName;
  return {
    ...(task.name ? { name: task.name } : {}),
    ...(after.length === 0 ? {} : { after }),
    ref: task.taskRef ?? {},
    startedOn: status?.startTime,
    finishedOn: status?.completionTime,
    ...(account ? { serviceAccountName: account } : {}),
    ...(outcome ? { status: outcome } : {}),
    ...(steps.length === 0 ? {} : { steps }),
    invocation: invocation(taskRun, status?.taskSpec?.params),
    ...(status?.results?.length ? { results: status.results } : {}),
  };
}
