import type { KubeObject } from '@tektite/meta';
import type { CustomRun } from '../../../kinds/custom-run.ts';
import type { ParamValue } from '../../../kinds/param.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineResult, PipelineSpec, PipelineTask } from '../../../kinds/pipeline-spec.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { replaceValue } from '../../../substitution/replace-text.ts';
import { ReplacementSet } from '../../../substitution/replacements.ts';
import { withClaims } from '../../../workspace/claim-templates.ts';
import { hasSucceeded } from './child-run.ts';
import { isMatrixed } from '../../../pipeline/matrix.ts';
import { replaceInPipeline } from './replace-in-pipeline.ts';
import { resultReference, variablesInValue } from '../../../pipeline/result-reference.ts';
import { addResult } from './task-results.ts';

/** A run to create, and what it takes over from the one before. */
export interface ResumedRun {
  readonly run: KubeObject;
  /** Tasks that are not run again. */
  readonly reused: readonly string[];
  /** Results of the pipeline that are known already: no task of the new run makes them. */
  readonly results: readonly { readonly name: string; readonly value: ParamValue }[];
}

type Child = TaskRun | CustomRun;

/** The run that is resumed. */
const resumedAnnotation = 'tektite.dev/resumes';

/**
 * A PipelineRun that does only what another one did not do: its tasks that succeeded are left out, and their results stand
 * where they were referred to. Claims that it made from templates are used again, so that files are there too. What ran once
 * for each combination of a matrix runs again as a whole.
 */
export function resumeRun(run: PipelineRun, children: readonly Child[]): ResumedRun {
  const { pipelineRef: _, pipelineSpec, status: __, workspaces, ...spec } = run.spec;
  const whole = pipelineSpec ?? run.status?.pipelineSpec ?? {};
  const done = doneTasks(whole, children);
  const variables = variablesOf(done);
  const rest = remaining(whole, new Set(done.keys()), variables);
  const { results, known } = splitResults(whole.results ?? [], done, variables);
  const { name = '', namespace, labels } = run.metadata;
  const resumed = {
    apiVersion: run.apiVersion,
    kind: 'PipelineRun',
    metadata: {
      generateName: `${name.replace(/-r[a-z0-9]{5}$/, '')}-r`,
      ...(namespace ? { namespace } : {}),
      ...(labels ? { labels: ownLabels(labels) } : {}),
      annotations: { [resumedAnnotation]: name },
    },
    spec: {
      ...spec,
      ...(workspaces ? { workspaces: withClaims(workspaces, run) } : {}),
      pipelineSpec: { ...rest, ...(results.length > 0 ? { results } : {}) },
    },
  };
  return { run: resumed, reused: [...done.keys()], results: known };
}

/** The labels that the user gave. */
function ownLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !name.startsWith('tekton.dev/')));
}

/** The runs of tasks that need not run again. */
function doneTasks({ tasks = [] }: PipelineSpec, children: readonly Child[]): ReadonlyMap<string, Child> {
  const byTask = new Map<string, Child>();
  for (const child of children) byTask.set(child.metadata.labels?.['tekton.dev/pipelineTask'] ?? '', child);
  const done = new Map<string, Child>();
  for (const task of tasks) {
    const child = byTask.get(task.name);
    if (child && !isMatrixed(task) && hasSucceeded(child)) done.set(task.name, child);
  }
  return done;
}

function variablesOf(done: ReadonlyMap<string, Child>): ReplacementSet {
  const set = new ReplacementSet();
  for (const [task, { status }] of done) {
    const results: readonly { readonly name: string; readonly value: ParamValue }[] = status?.results ?? [];
    for (const { name, value } of results) addResult(set, { task, result: name }, value);
    set.strings.set(`tasks.${task}.status`, 'Succeeded');
    set.strings.set(`tasks.${task}.reason`, 'Succeeded');
  }
  return set;
}

function remaining(whole: PipelineSpec, done: ReadonlySet<string>, variables: ReplacementSet): PipelineSpec {
  const { results: _, tasks = [], finally: final = [], ...others } = whole;
  const open = tasks.filter(({ name }) => !done.has(name)).map((task) => withoutParents(task, done));
  // A pipeline has to have tasks: when only final ones are left, these are they.
  if (open.length === 0) variables.strings.set('tasks.status', 'Succeeded');
  const left = open.length === 0 ? { tasks: final } : { tasks: open, ...(final.length > 0 ? { finally: final } : {}) };
  return replaceInPipeline({ ...others, ...left }, variables);
}

function withoutParents(task: PipelineTask, done: ReadonlySet<string>): PipelineTask {
  const { runAfter, ...others } = task;
  const left = (runAfter ?? []).filter((parent) => !done.has(parent));
  return left.length > 0 ? { ...others, runAfter: left } : others;
}

/** Results that still refer to a task, and those that are known. */
function splitResults(
  declared: readonly PipelineResult[],
  done: ReadonlyMap<string, Child>,
  variables: ReplacementSet,
): { readonly results: readonly PipelineResult[]; readonly known: ResumedRun['results'] } {
  const isKnown = ({ value }: PipelineResult) =>
    variablesInValue(value).every((name) => done.has(resultReference(name)?.task ?? ''));
  const replaced = (result: PipelineResult) => ({ ...result, value: replaceValue(result.value, variables) });
  return {
    results: declared.filter((result) => !isKnown(result)).map(replaced),
    known: declared
      .filter(isKnown)
      .map(replaced)
      .map(({ name, value }) => ({ name, value })),
  };
}
