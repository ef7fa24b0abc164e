import type { KubeObject } from '@tektite/meta';
import type { WorkspaceBinding } from '@tektite/pipelines';
import { badInput } from './bad-input.ts';
import type { SourceDocument } from './read-documents.ts';
import { isRun } from './run-kinds.ts';

/** What is to be created, in order, and which of it runs. */
export interface RunPlan {
  readonly objects: readonly PlannedObject[];
}

export interface PlannedObject {
  readonly object: KubeObject;
  /** Where it was written, for whoever has to mend it. */
  readonly place: string;
  readonly runs: boolean;
}

export interface RunWishes {
  /** `name=value`. */
  readonly params: readonly string[];
  readonly workspaces?: readonly WorkspaceBinding[];
  readonly serviceAccount?: string;
  readonly timeout?: string;
}

/** What runs a document that does not run by itself. A Pipeline comes before the Tasks that it is made of. */
const runOfKind: readonly (readonly [kind: string, run: string, reference: string])[] = [
  ['Pipeline', 'PipelineRun', 'pipelineRef'],
  ['Task', 'TaskRun', 'taskRef'],
];

/**
 * Decides what to create of the documents: everything as it is, runs last, and a run of the last Pipeline or else the last
 * Task when there is none. Wishes of the command line go into the runs.
 */
export function planRun(documents: readonly SourceDocument[], wishes: RunWishes): RunPlan {
  const objects = documents.map(({ object, place }) => ({ object, place, runs: isRun(object) }));
  const runs = objects.filter((each) => each.runs);
  if (runs.length === 0) runs.push(runOfLast(objects));
  // A run that comes first in its file would not find the Tasks that come after it.
  const others = objects.filter((each) => !each.runs);
  return { objects: [...others, ...runs.map((each) => ({ ...each, object: withWishes(each.object, wishes) }))] };
}

function runOfLast(objects: readonly PlannedObject[]): PlannedObject {
  for (const [kind, run, reference] of runOfKind) {
    const last = objects.findLast(({ object }) => object.kind === kind && object.apiVersion.startsWith('tekton.dev/'));
    if (!last) continue;
    const { apiVersion, metadata } = last.object;
    const { name = '', namespace } = metadata;
    const made = { generateName: `${name}-`, ...(namespace ? { namespace } : {}) };
    const object = { apiVersion, kind: run, metadata: made, spec: { [reference]: { name } } };
    return { object, place: last.place, runs: true };
  }
  throw badInput('there is neither a PipelineRun or TaskRun nor a Pipeline or Task in what is to be run');
}

interface RunSpec {
  readonly params?: readonly { readonly name: string }[];
  readonly workspaces?: readonly { readonly name: string }[];
  readonly timeouts?: object;
  readonly taskRunTemplate?: object;
}

function withWishes(object: KubeObject, wishes: RunWishes): KubeObject {
  const { spec = {} } = object as { spec?: RunSpec };
  const { serviceAccount, timeout } = wishes;
  const params = replaced(spec.params, wishes.params.map(readParam));
  const workspaces = replaced(spec.workspaces, wishes.workspaces ?? []);
  const changed = {
    ...spec,
    ...(params.length > 0 ? { params } : {}),
    ...(workspaces.length > 0 ? { workspaces } : {}),
    ...(serviceAccount ? accountOf(object, spec, serviceAccount) : {}),
    ...(timeout ? timeoutOf(object, spec, timeout) : {}),
  };
  return { ...object, spec: changed } as KubeObject;
}

function replaced<T extends { readonly name: string }>(there: readonly T[] = [], given: readonly T[]): readonly T[] {
  const names = new Set(given.map(({ name }) => name));
  return [...there.filter(({ name }) => !names.has(name)), ...given];
}

/** A PipelineRun of v1 has what its TaskRuns get in one place. */
function accountOf({ apiVersion, kind }: KubeObject, spec: RunSpec, serviceAccountName: string): object {
  if (kind !== 'PipelineRun' || apiVersion !== 'tekton.dev/v1') return { serviceAccountName };
  return { taskRunTemplate: { ...spec.taskRunTemplate, serviceAccountName } };
}

function timeoutOf({ kind }: KubeObject, spec: RunSpec, timeout: string): object {
  return kind === 'PipelineRun' ? { timeouts: { ...spec.timeouts, pipeline: timeout } } : { timeout };
}

/** `name=value`; a value in brackets or braces is JSON. */
function readParam(text: string): { readonly name: string; readonly value: unknown } {
  const at = text.indexOf('=');
  if (at < 1) throw badInput(`-p: ${JSON.stringify(text)} is no name=value`);
  const name = text.slice(0, at);
  const value = text.slice(at + 1);
  if (!/^\s*[[{]/.test(value)) return { name, value };
  try {
    return { name, value: JSON.parse(value) as unknown };
  } catch {
    return { name, value };
  }
}
