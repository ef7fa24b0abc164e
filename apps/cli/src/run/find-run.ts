import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { RunCondition } from '@tektite/pipelines';
import { UserError } from '../user-error.ts';
import { type RunKind, runKinds } from '../input/run-kinds.ts';

const kindNames: Readonly<Record<string, RunKind>> = {
  pipelinerun: 'PipelineRun',
  pipelineruns: 'PipelineRun',
  pr: 'PipelineRun',
  taskrun: 'TaskRun',
  taskruns: 'TaskRun',
  tr: 'TaskRun',
  customrun: 'CustomRun',
  customruns: 'CustomRun',
};

/** A run that exists. */
export interface FoundRun extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly RunCondition[];
    readonly startTime?: string;
    readonly completionTime?: string;
  };
}

/** The kind that a user calls by its singular, plural or short name. */
export function findKind(text: string): RunKind {
  const kind = kindNames[text.toLowerCase()];
  if (!kind) throw new UserError(`${JSON.stringify(text)} is not a kind of run; give pipelinerun or taskrun`, 2);
  return kind;
}

/** Finds a run by `NAME` or `KIND/NAME`. Of a name alone, the PipelineRun comes first. */
export async function findRun(client: Client, text: string, namespace: string): Promise<FoundRun> {
  const [, kindText, name] = /^(?:([^/]*)\/)?(.+)$/.exec(text) ?? [];
  const kind = kindText === undefined ? undefined : findKind(kindText);
  for (const each of kind ? [kind] : (['PipelineRun', 'TaskRun'] as const)) {
    const found = await get(client, each, { namespace, name: name ?? '' });
    if (found) return found;
  }
  const what = kind ?? 'PipelineRun or TaskRun';
  throw new UserError(`there is no ${what} ${JSON.stringify(name)} in the namespace ${namespace}; -n names another`);
}

async function get(
  client: Client,
  kind: RunKind,
  key: { readonly namespace: string; readonly name: string },
): Promise<FoundRun | undefined> {
  return (await client.getOrUndefined(runKinds[kind], key)) as FoundRun | undefined;
}
