import type { KubeObject } from '@tektite/meta';
import { badInput } from './bad-input.ts';
import type { SourceDocument } from './read-documents.ts';

/** What is to be created, in order, and which of it runs. */
export interface RunPlan {
  readonly objects: readonly { readonly object: KubeObject; readonly place: string; readonly runs: boolean }[];
}

export interface RunWishes {
  /** `name=value`. */
  readonly params: readonly string[];
  readonly serviceAccount?: string;
  readonly timeout?: string;
}

const runKinds = new Set(['TaskRun']);

/**
 * Decides what to create of the documents: everything as it is, and a TaskRun for the last Task when there is none. Wishes of
 * the command line go into the runs.
 */
export function planRun(documents: readonly SourceDocument[], wishes: RunWishes): RunPlan {
  const objects = documents.map(({ object, place }) => ({
    object,
    place,
    runs: isRun(object),
  }));
  if (!objects.some(({ runs }) => runs)) {
    const task = objects.findLast(
      ({ object }) => object.kind === 'Task' && object.apiVersion.startsWith('tekton.dev/'),
    );
    if (!task) throw badInput('there is neither a TaskRun nor a Task in what is to be run');
    objects.push({ object: runOf(task.object), place: task.place, runs: true });
  }
  return { objects: objects.map((each) => (each.runs ? { ...each, object: withWishes(each.object, wishes) } : each)) };
}

function isRun({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion.startsWith('tekton.dev/') && runKinds.has(kind);
}

function runOf({ apiVersion, metadata }: KubeObject): KubeObject {
  const { name = '' } = metadata;
  const run = {
    apiVersion,
    kind: 'TaskRun',
    metadata: { generateName: `${name}-` },
    spec: { taskRef: { name } },
  };
  return run;
}

function withWishes(object: KubeObject, { params, serviceAccount, timeout }: RunWishes): KubeObject {
  const { spec = {} } = object as { spec?: { params?: readonly { name: string }[] } };
  const given = params.map(readParam);
  const names = new Set(given.map(({ name }) => name));
  const merged = [...(spec.params ?? []).filter(({ name }) => !names.has(name)), ...given];
  const changed = {
    ...spec,
    ...(merged.length > 0 ? { params: merged } : {}),
    ...(serviceAccount ? { serviceAccountName: serviceAccount } : {}),
    ...(timeout ? { timeout } : {}),
  };
  return { ...object, spec: changed } as KubeObject;
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
