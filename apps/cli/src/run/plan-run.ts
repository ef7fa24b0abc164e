import { stringifyJson } from '@tektite/meta';
import type { KubeObject } from '@tektite/meta';
import type { Param, ParamSpec, ParamValue, WorkspaceBinding } from '@tektite/pipelines';
import { badInput } from '../input/bad-input.ts';
import { checkRun, typeOf } from './check-run.ts';
import { nearestName, suggestion } from './nearest-name.ts';
import { onlyTasks } from './only-tasks.ts';
import type { SourceDocument } from '../input/read-documents.ts';
import { isRun } from '../input/run-kinds.ts';
import { checkReferences, findTarget, type LookUp, type RunTarget } from './run-target.ts';

/** An object to create. */
export interface PlannedObject extends SourceDocument {
  readonly runs: boolean;
  /** The Task or Pipeline of a run, where it is known. */
  readonly target?: RunTarget;
}

/** The command line, as far as it changes the runs. */
export interface RunChoices {
  /** `name=value`. */
  readonly params: readonly string[];
  readonly workspaces: readonly WorkspaceBinding[];
  /** The name of the Task, Pipeline or run, where there are several. */
  readonly name?: string;
  /** Run these tasks of the Pipeline alone. */
  readonly only: readonly string[];
  /** For all steps. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly serviceAccount?: string;
  readonly timeout?: string;
}

/** Creates the run for a document that is not a run. A Pipeline comes before the Tasks that it is made of. */
const runOfKind: readonly (readonly [kind: string, run: string, reference: string])[] = [
  ['Pipeline', 'PipelineRun', 'pipelineRef'],
  ['Task', 'TaskRun', 'taskRef'],
];

/**
 * Decides what to create of the documents: everything as it is, and runs last, because they would not find Tasks that come after
 * them in a file. Where there is no run, one is made for the Pipeline, or else for the Task. The command line goes into the runs.
 * Without a cluster, `lookUp` is undefined, and everything has to be in the documents.
 */
export async function planRun(
  documents: readonly SourceDocument[],
  choices: RunChoices,
  lookUp?: LookUp,
): Promise<readonly PlannedObject[]> {
  const others = documents.filter(({ object }) => !isRun(object));
  const runs = [];
  for (const run of chooseRuns(documents, choices.name)) {
    const target = await findTarget(run, documents, lookUp ?? (async () => undefined));
    if (!lookUp) checkReferences(run, target, documents);
    const chosen = choices.only.length > 0 ? onlyTasks(run, target, choices.only) : { run, target };
    runs.push({
      ...run,
      object: withChoices(chosen.run, chosen.target, choices),
      runs: true,
      ...(target ? { target } : {}),
    });
  }
  return [...others.map((each) => ({ ...each, runs: false })), ...runs];
}

function chooseRuns(documents: readonly SourceDocument[], name: string | undefined): readonly SourceDocument[] {
  const runs = documents.filter(({ object }) => isRun(object));
  const named = runs.filter(
    ({ object: { metadata } }) =>
      name !== undefined &&
      [metadata.name, metadata.generateName, metadata.generateName?.replace(/-$/, '')].includes(name),
  );
  if (named.length > 0) return named;
  if (runs.length > 0 && name === undefined) return runs;
  for (const [kind, run, reference] of runOfKind) {
    const all = documents.filter(({ object }) => object.kind === kind && object.apiVersion.startsWith('tekton.dev/'));
    const chosen = name === undefined ? independent(all) : all.filter(({ object }) => object.metadata.name === name);
    if (chosen.length > 1) throw whichOne(kind, chosen);
    if (chosen[0]) return [runOf(chosen[0], run, reference)];
  }
  throw nothingToRun(documents, name);
}

/** The Pipelines that are not parts of others. */
function independent(documents: readonly SourceDocument[]): readonly SourceDocument[] {
  const parts = documents.filter(({ object }) => {
    const reference = new RegExp(`"(?:pipelineRef|taskRef)":\\{[^{}]*"name":"${object.metadata.name}"`);
    return documents.some((other) => other.object !== object && reference.test(stringifyJson(other.object)));
  });
  return parts.length === documents.length ? documents : documents.filter((each) => !parts.includes(each));
}

function whichOne(kind: string, chosen: readonly SourceDocument[]): Error {
  const list = chosen.map(({ object, place }) => `${object.metadata.name} (${place})`).join(', ');
  return badInput(`there are ${chosen.length} ${kind}s in what is to be run: ${list}; choose one with --name`);
}

function nothingToRun(documents: readonly SourceDocument[], name: string | undefined): Error {
  const runnable = ['PipelineRun', 'TaskRun', 'Pipeline', 'Task'];
  if (name !== undefined) {
    const known = documents
      .filter(({ object }) => runnable.includes(object.kind))
      .map(({ object }) => object.metadata.name ?? '');
    return badInput(`--name: there is nothing named ${JSON.stringify(name)} to run${suggestion(name, known)}`);
  }
  for (const { object, at } of documents) {
    const near = nearestName(object.kind, runnable);
    if (near && near !== object.kind)
      return badInput(
        `${at(['kind'])}: there is no kind ${JSON.stringify(object.kind)}; did you mean ${JSON.stringify(near)}?`,
      );
    if (near)
      return badInput(
        `${at(['apiVersion'])}: a ${near} has the apiVersion tekton.dev/v1, not ${JSON.stringify(object.apiVersion)}`,
      );
  }
  const kinds = [...new Set(documents.map(({ object }) => object.kind))].join(', ');
  return badInput(`there is no PipelineRun, TaskRun, Pipeline or Task in what is to be run, only ${kinds}`);
}

function runOf(document: SourceDocument, run: string, reference: string): SourceDocument {
  const { apiVersion, metadata } = document.object;
  const { name = '', namespace } = metadata;
  const made = { generateName: `${name}-`, ...(namespace ? { namespace } : {}) };
  const object = { apiVersion, kind: run, metadata: made, spec: { [reference]: { name } } };
  return { object, place: document.place, at: () => document.place };
}

interface RunSpec {
  readonly params?: readonly Param[];
  readonly workspaces?: readonly WorkspaceBinding[];
  readonly timeouts?: object;
  readonly taskRunTemplate?: { readonly podTemplate?: PodTemplate };
  readonly podTemplate?: PodTemplate;
}

interface PodTemplate {
  readonly env?: readonly { readonly name: string }[];
}

function withChoices({ object }: SourceDocument, target: RunTarget | undefined, choices: RunChoices): KubeObject {
  const { spec = {} } = object as { spec?: RunSpec };
  const { serviceAccount, timeout, env } = choices;
  const given = choices.params.map((text) => readParam(text, target?.spec.params));
  const params = replaced(spec.params, given);
  const workspaces = replaced(spec.workspaces, choices.workspaces);
  if (target)
    checkRun(
      target,
      { params: spec.params ?? [], workspaces: spec.workspaces ?? [] },
      { params, workspaces },
      { params: given.map(({ name }) => name), workspaces: choices.workspaces.map(({ name }) => name) },
    );
  const shared = sharedFields(object, spec, { ...(serviceAccount ? { serviceAccountName: serviceAccount } : {}), env });
  const changed = {
    ...spec,
    ...(params.length > 0 ? { params } : {}),
    ...(workspaces.length > 0 ? { workspaces } : {}),
    ...shared,
    ...(timeout ? timeoutOf(object, spec, timeout) : {}),
  };
  return { ...object, spec: changed } as KubeObject;
}

function replaced<T extends { readonly name: string }>(there: readonly T[] = [], given: readonly T[]): readonly T[] {
  const names = new Set(given.map(({ name }) => name));
  return [...there.filter(({ name }) => !names.has(name)), ...given];
}

/** A PipelineRun of v1 has in one place what its TaskRuns get. */
function sharedFields(
  { apiVersion, kind }: KubeObject,
  spec: RunSpec,
  { serviceAccountName, env }: { readonly serviceAccountName?: string; readonly env: RunChoices['env'] },
): object {
  if (serviceAccountName === undefined && env.length === 0) return {};
  const inTemplate = kind === 'PipelineRun' && apiVersion === 'tekton.dev/v1';
  const there = inTemplate ? (spec.taskRunTemplate ?? {}) : spec;
  const podTemplate = { ...there.podTemplate, env: replaced(there.podTemplate?.env, env) };
  const fields = { ...(serviceAccountName ? { serviceAccountName } : {}), ...(env.length > 0 ? { podTemplate } : {}) };
  return inTemplate ? { taskRunTemplate: { ...there, ...fields } } : fields;
}

function timeoutOf({ kind }: KubeObject, spec: RunSpec, timeout: string): object {
  return kind === 'PipelineRun' ? { timeouts: { ...spec.timeouts, pipeline: timeout } } : { timeout };
}

/** `name=value`; of lists and objects, the value is JSON. A param that is declared as text is never read as JSON. */
function readParam(text: string, declared: readonly ParamSpec[] = []): Param {
  const at = text.indexOf('=');
  if (at < 1) throw badInput(`-p ${text}: this is no NAME=VALUE`);
  const name = text.slice(0, at);
  const value = text.slice(at + 1);
  const spec = declared.find((each) => each.name === name);
  if (!/^\s*[[{]/.test(value) || (spec && typeOf(spec) === 'string')) return { name, value };
  try {
    return { name, value: JSON.parse(value) as ParamValue };
  } catch (error) {
    if (spec) throw badInput(`-p ${name}: this is no JSON: ${(error as Error).message}`);
    return { name, value };
  }
}
