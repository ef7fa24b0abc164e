import { withCluster } from '../cluster/open-cluster.ts';
import { graphMermaid } from '../graph/graph-mermaid.ts';
import { graphSvg } from '../graph/graph-svg.ts';
import { graphText } from '../graph/graph-text.ts';
import { graphsOf, type TaskGraph } from '../graph/task-graph.ts';
import { findRun } from '../run/find-run.ts';
import { readDocuments } from '../run/read-documents.ts';
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
export async function graph(name: string | undefined, options: GraphOptions): Promise<void> {
  const form = Object.hasOwn(forms, options.output) ? forms[options.output] : undefined;
  if (!form)
    throw new UserError(`-o must be one of ${Object.keys(forms).join(', ')}, not ${JSON.stringify(options.output)}`, 2);
  if ((name === undefined) === (options.file.length === 0))
    throw new UserError('say what to draw: a file with -f, or the name of a PipelineRun', 2);
  const documents = name
    ? [await withCluster(options, (client) => findRun(client, name, options.namespace))]
    : (await readDocuments(options.file)).map(({ object }) => object);
  const graphs = graphsOf(documents);
  if (graphs.length === 0)
    throw new UserError('there is no Pipeline, and no PipelineRun with tasks of its own, in it', 2);
  process.stdout.write(graphs.map(form).join('\n'));
}
