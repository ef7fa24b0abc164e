import { existsSync } from 'node:fs';
import type { Client } from '@tektite/client';
import { recordedTimes } from '@tektite/dashboard/run';
import { withCluster } from '../cluster/open-cluster.ts';
import { graphMermaid } from '../graph/graph-mermaid.ts';
import { graphSvg } from '../graph/graph-svg.ts';
import { graphText } from '../graph/graph-text.ts';
import { graphsOf, type TaskGraph, withProgress } from '../graph/task-graph.ts';
import { findRun } from '../run/find-run.ts';
import { readTree } from '../run/read-tree.ts';
import { readDocuments } from '../input/read-documents.ts';
import { UserError } from '../user-error.ts';

export interface GraphOptions {
  readonly file: readonly string[];
  readonly namespace: string;
  readonly kubeconfig?: string;
  readonly dataDir: string;
  readonly output: string;
}

const forms: Readonly<Record<string, (graph: TaskGraph) => string>> = {
  text: graphText,
  mermaid: graphMermaid,
  svg: graphSvg,
};

/** `tektite graph`: which tasks of a pipeline wait for which. */
export async function graph(named: string | undefined, options: GraphOptions): Promise<void> {
  const form = Object.hasOwn(forms, options.output) ? forms[options.output] : undefined;
  if (!form)
    throw new UserError(`-o must be one of ${Object.keys(forms).join(', ')}, not ${JSON.stringify(options.output)}`, 2);
  const isFile = named !== undefined && namesFile(named);
  const files = isFile ? [...options.file, named] : options.file;
  const name = isFile ? undefined : named;
  if ((name === undefined) === (files.length === 0))
    throw new UserError('name what to draw: a file, or a PipelineRun', 2);
  const graphs =
    name === undefined
      ? graphsOf((await readDocuments(files)).map(({ object }) => object))
      : await withCluster(options, (client) => graphsOfRun(client, name, options.namespace));
  if (graphs.length === 0)
    throw new UserError('there is no Pipeline, and no PipelineRun with embedded tasks, in the given files', 2);
  process.stdout.write(graphs.map(form).join('\n'));
}

/** Names of runs have no slash and do not end as files do: what can be both is a file when it is there. */
function namesFile(text: string): boolean {
  return text === '-' || text.includes('/') || /\.(ya?ml|json)$/.test(text) || existsSync(text);
}

/** The graph of a run, with the state and time of each task. */
async function graphsOfRun(client: Client, name: string, namespace: string): Promise<readonly TaskGraph[]> {
  const run = await findRun(client, name, namespace);
  const tree = await readTree(client, run);
  return graphsOf([run]).map((each) => withProgress(each, tree, recordedTimes, client.clock.now()));
}
