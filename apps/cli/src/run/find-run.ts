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

/** There is no such run; it may be in the archive. */
export class MissingRunError extends UserError {}

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

/** A run as users name it: `NAME` or `KIND/NAME`. */
export function parseRunName(text: string): { readonly kind: RunKind | undefined; readonly name: string } {
  const [, kindText, name = ''] = /^(?:([^/]*)\/)?(.+)$/.exec(text) ?? [];
  return { kind: kindText === undefined ? undefined : findKind(kindText), name };
}

/** Finds a run by its name. Of a name alone, the PipelineRun comes first. */
export async function findRun(client: Client, text: string, namespace: string): Promise<FoundRun> {
  const { kind, name } = parseRunName(text);
  for (const each of kind ? [kind] : (['PipelineRun', 'TaskRun'] as const)) {
    const found = await get(client, each, { namespace, name });
    if (found) return found;
  }
  const what = kind ?? 'PipelineRun or TaskRun';
  throw new MissingRunError(
    `there is no ${what} ${JSON.stringify(name)} in the namespace ${namespace}; -n names another`,
  );
}

async function get(
  client: Client,
  kind: RunKind,
  key: { readonly namespace: string; readonly name: string },
): Promise<FoundRun | undefined> {
  return (await client.getOrUndefined(runKinds[kind], key)) as FoundRun | undefined;
}
