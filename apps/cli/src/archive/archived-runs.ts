import { pipelineRunNode, type RunNode, taskRunNode } from '@tektite/dashboard/run';
import { type KubeObject, parseLabelSelector, selectEverything } from '@tektite/meta';
import type { PipelineRun, TaskRun } from '@tektite/pipelines';
import { pipelineRunLabel, type RunKind } from '../input/run-kinds.ts';
import { type FoundRun, parseRunName } from '../run/find-run.ts';
import type { ArchiveClient, ArchivedRecord } from './archive-client.ts';

/** A run of the archive, and where it is there. */
export interface ArchivedRun {
  readonly run: FoundRun;
  /** `NAMESPACE/results/RESULT`. */
  readonly result: string;
}

const types: Readonly<Record<RunKind, string>> = {
  PipelineRun: 'tekton.dev/v1.PipelineRun',
  TaskRun: 'tekton.dev/v1.TaskRun',
  CustomRun: 'tekton.dev/v1beta1.CustomRun',
};

export interface ArchivedSelection {
  readonly namespace?: string;
  readonly kind?: RunKind;
  readonly labelSelector?: string;
  /** Each is part of the name, or of that of the Pipeline or Task. */
  readonly words?: readonly string[];
  readonly parts?: boolean;
}

/** Runs of the archive, the newest first. Labels that have to have one value are found by the archive, the rest is filtered here. */
export async function* archivedRuns(
  archive: ArchiveClient,
  { namespace = '-', kind, labelSelector, words = [], parts = false }: ArchivedSelection,
): AsyncIterable<FoundRun> {
  const selector = labelSelector ? parseLabelSelector(labelSelector) : selectEverything;
  const filter = [
    typeFilter(kind ? [kind] : ['PipelineRun', 'TaskRun']),
    ...labelFilters(labelSelector),
    ...words.map(wordFilter),
  ].join(' && ');
  for await (const record of archive.records(`${namespace}/results/-`, filter)) {
    const run = objectOf(record);
    const { labels = {} } = run.metadata;
    if (selector.matches(labels) && (parts || labels[pipelineRunLabel] === undefined)) yield run;
  }
}

/** Finds a run by its name: the newest of that name, or that with the uid, and the PipelineRun before the TaskRun. */
export async function findArchivedRun(
  archive: ArchiveClient,
  text: string,
  namespace: string,
  uid?: string,
): Promise<ArchivedRun | undefined> {
  const { kind, name } = parseRunName(text);
  for (const each of kind ? [kind] : (['PipelineRun', 'TaskRun'] as const)) {
    const which = uid === undefined ? '' : ` && data.metadata.uid == ${JSON.stringify(uid)}`;
    const filter = `${typeFilter([each])} && data.metadata.name == ${JSON.stringify(name)}${which}`;
    for await (const record of archive.records(`${namespace}/results/-`, filter))
      return { run: objectOf(record), result: resultOf(record) };
  }
  return undefined;
}

/** The run with all its parts. */
export async function archivedTree(archive: ArchiveClient, { run, result }: ArchivedRun): Promise<RunNode> {
  if (run.kind === 'TaskRun') return taskRunNode(run as TaskRun);
  const parts = new Map<string, KubeObject>();
  for await (const part of archivedParts(archive, result)) parts.set(`${part.kind}/${part.metadata.name}`, part);
  return pipelineRunNode(run as PipelineRun, (kind, name) => parts.get(`${kind}/${name}`));
}

/** All runs of a Result. */
export async function* archivedParts(archive: ArchiveClient, result: string): AsyncIterable<FoundRun> {
  for await (const record of archive.records(result, typeFilter(['PipelineRun', 'TaskRun', 'CustomRun'])))
    yield objectOf(record);
}

/** The log of a run, as `tkn` prints it. */
export function archivedLog(archive: ArchiveClient, { run, result }: ArchivedRun): Promise<AsyncIterable<Buffer>> {
  return archive.log(`${result}/logs/${run.metadata.uid}`);
}

const resultOf = ({ name }: ArchivedRecord) => name.split('/').slice(0, 3).join('/');

function objectOf({ data }: ArchivedRecord): FoundRun {
  return JSON.parse(Buffer.from(data.value, 'base64').toString()) as FoundRun;
}

function typeFilter(kinds: readonly RunKind[]): string {
  return `(${kinds.map((kind) => `data_type == ${JSON.stringify(types[kind])}`).join(' || ')})`;
}

function wordFilter(word: string): string {
  const places = ['metadata.name', 'spec.pipelineRef.name', 'spec.taskRef.name'];
  return `(${places.map((place) => `data.${place}.contains(${JSON.stringify(word)})`).join(' || ')})`;
}

function labelFilters(selector = ''): readonly string[] {
  return [...selector.matchAll(/(?:^|,)\s*([\w./-]+)\s*==?\s*([\w.-]*)\s*(?=,|$)/g)].map(
    ([, key, value]) => `data.metadata.labels[${JSON.stringify(key)}] == ${JSON.stringify(value)}`,
  );
}
