import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { type PipelineRun, type ResumedRun, resumeRun, type TaskRun } from '@tektite/pipelines';
import { conditionOf, runAgain } from '@tektite/dashboard/run';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { chooseRun, type RunChoice } from '../run/choose-run.ts';
import type { FoundRun } from '../run/find-run.ts';
import { planRun } from '../run/plan-run.ts';
import { lookUpOn } from '../run/prepare-run.ts';
import { readParts } from '../run/read-tree.ts';
import { RunSession } from '../run/run-session.ts';
import { openView } from '../run/view/open-view.ts';
import { stopSignal } from '../stop-signal.ts';
import { UserError } from '../user-error.ts';

export interface RerunOptions extends ClusterChoice, RunChoice {
  readonly param: readonly string[];
  readonly output: string;
  readonly fromFailed?: boolean;
}

/** `tektite rerun RUN`: creates the run again, with other params if given; with --from-failed, only the tasks that did not succeed. */
export async function rerun(name: string | undefined, options: RerunOptions): Promise<void> {
  using view = openView(options.output);
  const stopped = stopSignal();
  const abort = new AbortController();
  void stopped.promise.then(() => abort.abort(new UserError('stopped; the run goes on')));
  try {
    await withCluster(options, async (client) => {
      const before = await chooseRun(client, name, options);
      const { run, reused, results } = options.fromFailed
        ? await resumed(client, before)
        : { run: runAgain(before), reused: [], results: [] };
      if (reused.length > 0) view.note(`not run again, because they succeeded: ${reused.join(', ')}`);
      for (const { name: result, value } of results) view.note(`known already: ${result} = ${JSON.stringify(value)}`);
      const created = await client.create(await withParams(client, run, options));
      const { state } = await new RunSession(client, view, abort.signal).follow(created);
      process.exitCode = state === 'succeeded' ? 0 : 1;
    });
  } finally {
    stopped.ignore();
  }
}

/** The run with the params of the command line in place of those of the same name. */
async function withParams(client: Client, run: KubeObject, { param, namespace }: RerunOptions): Promise<KubeObject> {
  if (param.length === 0) return run;
  const place = run.kind;
  const choices = { params: param, workspaces: [], only: [], env: [] };
  const [planned] = await planRun([{ object: run, place, at: () => place }], choices, lookUpOn(client, namespace));
  return planned?.object ?? run;
}

async function resumed(client: Client, before: FoundRun): Promise<ResumedRun> {
  const { kind, metadata } = before;
  if (kind !== 'PipelineRun') throw new UserError(`--from-failed: a ${kind} has no tasks of which some succeeded`);
  const { status = 'Unknown' } = conditionOf(before) ?? {};
  if (status === 'Unknown') throw new UserError(`--from-failed: ${kind} ${metadata.name} has not completed yet`);
  if (status === 'True') throw new UserError(`--from-failed: nothing of ${kind} ${metadata.name} failed`);
  const parts = new Map<string, KubeObject>();
  await readParts(client, before, parts);
  const own = [...parts.values()].filter(
    ({ kind: each, metadata: { labels } }) =>
      each !== 'PipelineRun' && labels?.['tekton.dev/pipelineRun'] === metadata.name,
  );
  return resumeRun(before as PipelineRun, own as TaskRun[]);
}
