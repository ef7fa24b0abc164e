import type { KubeObject } from '@tektite/meta';
import type { ParamSpec, PipelineTask, WorkspaceDeclaration } from '@tektite/pipelines';
import { badInput } from '../input/bad-input.ts';
import { suggestion } from './nearest-name.ts';
import type { FieldPath, SourceDocument } from '../input/read-documents.ts';

/** The fields of Tasks and Pipelines that decide what a run has to give. */
export interface TargetSpec {
  readonly params?: readonly ParamSpec[];
  readonly workspaces?: readonly (WorkspaceDeclaration & { readonly optional?: boolean })[];
  readonly tasks?: readonly PipelineTask[];
  readonly finally?: readonly PipelineTask[];
}

/** The Task or Pipeline that a run runs. */
export interface RunTarget {
  readonly kind: 'Task' | 'Pipeline';
  /** `Task greet`, for messages. */
  readonly title: string;
  readonly spec: TargetSpec;
  at(path: FieldPath): string;
}

/** Finds an object that is in no file: on the cluster, if there is one. */
export type LookUp = (object: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}) => Promise<KubeObject | undefined>;

interface RunSpec {
  readonly taskSpec?: TargetSpec;
  readonly pipelineSpec?: TargetSpec;
  readonly taskRef?: Reference;
  readonly pipelineRef?: Reference;
}

interface Reference {
  readonly name?: string;
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly resolver?: string;
  readonly bundle?: string;
}

/** The target of a run: in the run itself, in a file, or on the cluster. Nothing where only a resolver knows it. */
export async function findTarget(
  run: SourceDocument,
  documents: readonly SourceDocument[],
  lookUp: LookUp,
): Promise<RunTarget | undefined> {
  const { apiVersion, kind: runKind, metadata, spec = {} } = run.object as KubeObject & { readonly spec?: RunSpec };
  const kind = runKind === 'PipelineRun' ? 'Pipeline' : 'Task';
  const field = kind === 'Pipeline' ? 'pipelineSpec' : 'taskSpec';
  const own = spec[field];
  const title = (name: string | undefined) => `${kind} ${name ?? ''}`.trim();
  if (own)
    return {
      kind,
      title: title(metadata.name ?? metadata.generateName),
      spec: own,
      at: (path) => run.at(['spec', field, ...path]),
    };
  const reference = kind === 'Pipeline' ? spec.pipelineRef : spec.taskRef;
  if (!isByName(reference, kind)) return undefined;
  const found = documents.find(({ object }) => isNamed(object, kind, reference.name));
  const { namespace } = metadata;
  if (found)
    return {
      kind,
      title: title(reference.name),
      spec: specOf(found.object),
      at: (path) => found.at(['spec', ...path]),
    };
  const remote = await lookUp({ apiVersion, kind, name: reference.name, ...(namespace ? { namespace } : {}) });
  return remote && { kind, title: title(reference.name), spec: specOf(remote), at: () => run.place };
}

/** Refuses references by name to Tasks and Pipelines that are in no file, where there is no cluster that may have them. */
export function checkReferences(
  run: SourceDocument,
  target: RunTarget | undefined,
  documents: readonly SourceDocument[],
): void {
  const { kind: runKind, spec = {} } = run.object as KubeObject & { readonly spec?: RunSpec };
  const kind = runKind === 'PipelineRun' ? 'Pipeline' : 'Task';
  const field = kind === 'Pipeline' ? 'pipelineRef' : 'taskRef';
  const reference = spec[field];
  if (!target && isByName(reference, kind))
    throw missing(kind, reference.name, run.at(['spec', field, 'name']), documents);
  for (const [list, tasks] of [['tasks', target?.spec.tasks] as const, ['finally', target?.spec.finally] as const])
    (tasks ?? []).forEach(({ taskRef }, index) => {
      const each = taskRef as Reference | undefined;
      if (!isByName(each, 'Task') || documents.some(({ object }) => isNamed(object, 'Task', each.name))) return;
      throw missing('Task', each.name, target?.at([list, index, 'taskRef', 'name']) ?? run.place, documents);
    });
}

function missing(kind: string, name: string, place: string, documents: readonly SourceDocument[]): Error {
  const known = documents.filter(({ object }) => object.kind === kind).map(({ object }) => object.metadata.name ?? '');
  const hint = suggestion(name, known);
  return badInput(
    `${place}: there is no ${kind} ${JSON.stringify(name)} in what is to be run${hint || '; add its file with -f'}`,
  );
}

function isByName(reference: Reference | undefined, kind: string): reference is Reference & { readonly name: string } {
  if (!reference?.name || reference.resolver || reference.bundle) return false;
  return (reference.kind ?? kind) === kind && (reference.apiVersion ?? 'tekton.dev/').startsWith('tekton.dev/');
}

function isNamed({ apiVersion, kind, metadata }: KubeObject, wanted: string, name: string): boolean {
  return kind === wanted && apiVersion.startsWith('tekton.dev/') && metadata.name === name;
}

function specOf(object: KubeObject): TargetSpec {
  return (object as KubeObject & { readonly spec?: TargetSpec }).spec ?? {};
}
