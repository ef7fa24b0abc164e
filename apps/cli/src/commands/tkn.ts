import { Client, httpTransport, loadConfig, ignoreNotFound } from '@tektite/client';
import { type KubeObject, systemClock } from '@tektite/meta';
import { readNumber, UserError } from '../user-error.ts';

export interface TknOptions {
  readonly namespace: string;
  readonly keep?: string;
  readonly keepSince?: string;
  readonly pipeline?: string;
  readonly task?: string;
}

const kinds: Readonly<Record<string, string>> = {
  pipeline: 'Pipeline',
  task: 'Task',
  pipelinerun: 'PipelineRun',
  taskrun: 'TaskRun',
};

interface Run extends KubeObject {
  readonly status?: { readonly completionTime?: string };
}

/** `tektite tkn`: the few words of tkn that pruning Jobs use. */
export async function tkn(resource: string, verb: string, options: TknOptions): Promise<void> {
  const kind = Object.hasOwn(kinds, resource) ? kinds[resource] : undefined;
  if (!kind)
    throw new UserError(`there is no ${JSON.stringify(resource)}; give one of ${Object.keys(kinds).join(', ')}`);
  await using client = new Client(httpTransport(await loadConfig({})));
  const reference = { apiVersion: 'tekton.dev/v1', kind };
  const { namespace } = options;
  if (verb === 'list') {
    const { items } = await client.list<KubeObject>(reference, { namespace });
    console.log(items.map(({ metadata }) => metadata.name).join(' '));
    return;
  }
  if (verb !== 'delete') throw new UserError(`tkn can list and delete here, not ${JSON.stringify(verb)}`);
  const runs = (await client.list<Run>(reference, { namespace })).items;
  for (const { metadata } of runsToDelete(runs, options, systemClock.now())) {
    const deleted = await client.delete(reference, { namespace, name: metadata.name ?? '' }).catch(ignoreNotFound);
    if (deleted) console.log(`${kind} ${metadata.name} deleted`);
  }
}

/**
 * The runs that are neither among the newest nor young enough. Those that have not ended stay, whatever is asked; with both a number and
 * an age, a run has to be beyond both.
 */
export function runsToDelete(
  runs: readonly Run[],
  { keep, keepSince, pipeline, task }: Omit<TknOptions, 'namespace'>,
  now: number,
): readonly Run[] {
  const kept = keep === undefined ? 0 : readNumber('--keep', keep, 1, Number.MAX_SAFE_INTEGER);
  const minutes = keepSince === undefined ? 0 : readNumber('--keep-since', keepSince, 1, Number.MAX_SAFE_INTEGER);
  if (keep === undefined && keepSince === undefined) throw new UserError('say what is kept: --keep or --keep-since');
  const ofParent = ({ metadata }: Run) =>
    (pipeline === undefined || metadata.labels?.['tekton.dev/pipeline'] === pipeline) &&
    (task === undefined || metadata.labels?.['tekton.dev/task'] === task);
  const end = ({ status }: Run) => Date.parse(status?.completionTime ?? '');
  return runs
    .filter((run) => ofParent(run) && !Number.isNaN(end(run)))
    .toSorted((a, b) => end(b) - end(a))
    .filter((run, index) => index >= kept && end(run) <= now - minutes * 60_000);
}
