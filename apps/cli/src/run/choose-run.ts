import { type Client, isClientError } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { UserError } from '../user-error.ts';
import { findRun, type FoundRun } from './find-run.ts';
import { pipelineRunLabel, type RunKind, runKinds } from '../input/run-kinds.ts';

/** The run that a command is about: named, or the newest. */
export interface RunChoice {
  readonly namespace: string;
  readonly last?: boolean;
}

/** Finds the run that the command line names. */
export async function chooseRun(client: Client, name: string | undefined, choice: RunChoice): Promise<FoundRun> {
  if (name !== undefined && choice.last)
    throw new UserError(`--last is the newest run: leave out ${JSON.stringify(name)}`, 2);
  if (name !== undefined) return servedBy(findRun(client, name, choice.namespace));
  if (!choice.last) throw new UserError('name a run, or --last for the newest; `tektite list` lists them', 2);
  const [newest] = await listRuns(client, { namespace: choice.namespace });
  if (!newest) throw new UserError(`there are no runs in the namespace ${choice.namespace}; -n names another`);
  return newest;
}

export interface RunSelection {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Lists the parts of PipelineRuns, too. */
  readonly parts?: boolean;
}

const listed: readonly RunKind[] = ['PipelineRun', 'TaskRun'];

/** PipelineRuns and TaskRuns, the newest first. TaskRuns and PipelineRuns that are parts of a PipelineRun only on request. */
export async function listRuns(
  client: Client,
  { parts = false, ...selection }: RunSelection,
): Promise<readonly FoundRun[]> {
  const list = async () => {
    const found: FoundRun[] = [];
    for (const kind of listed)
      for await (const run of client.listAll(runKinds[kind], selection))
        if (parts || run.metadata.labels?.[pipelineRunLabel] === undefined) found.push(run as FoundRun);
    return found;
  };
  return (await servedBy(list())).toSorted((a, b) => createdAt(b) - createdAt(a) || nameOf(a).localeCompare(nameOf(b)));
}

/** A server without Tekton Pipelines is not the user's error, but has a remedy. */
async function servedBy<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!isClientError(error, 'UNKNOWN_KIND')) throw error;
    throw new UserError(
      'the server does not serve PipelineRuns: start it with `tektite up --systems pipelines`, or install Tekton Pipelines',
    );
  }
}

const nameOf = ({ metadata }: KubeObject) => metadata.name ?? '';

function createdAt({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}
