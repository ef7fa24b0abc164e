import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { Param, RunResult, TaskRunStatus } from '@tektite/pipelines';
import pc from 'picocolors';
import { conditionOf, recordedTimes, stateOf } from '@tektite/dashboard/run';
import { archivedTree } from '../archive/archived-runs.ts';
import { chooseRunOrArchived } from '../archive/choose-run-or-archived.ts';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import type { RunChoice } from '../run/choose-run.ts';
import { referenceText } from '../run/reference-text.ts';
import { readTree } from '../run/read-tree.ts';
import { treeLines } from '../tree/tree-lines.ts';
import { terminalText } from '../terminal-text.ts';
import { UserError } from '../user-error.ts';

export interface DescribeOptions extends ClusterChoice, RunChoice {
  readonly output: string;
}

interface Described extends KubeObject {
  readonly spec?: { readonly params?: readonly Param[]; readonly [reference: string]: unknown };
  readonly status?: Partial<TaskRunStatus> & { readonly results?: readonly RunResult[] };
}

/** `tektite describe RUN`: its spec, its parts with their states and times, its results. */
export async function describe(name: string | undefined, options: DescribeOptions): Promise<void> {
  if (options.output !== 'text' && options.output !== 'json')
    throw new UserError(`-o must be text or json, not ${JSON.stringify(options.output)}`);
  await withCluster(options, async (client) => {
    const { run: found, tree } = await runAndTree(client, name, options);
    const run = found as Described;
    if (options.output === 'json') {
      process.stdout.write(`${JSON.stringify(tree, undefined, 2)}\n`);
      return;
    }
    const lines = [...headLines(run), '', ...treeLines(tree, recordedTimes, client.clock.now()), ...resultLines(run)];
    process.stdout.write(`${lines.map(terminalText).join('\n')}\n`);
  });
}

/** The run as it is, or as it was archived. */
async function runAndTree(client: Client, name: string | undefined, options: DescribeOptions) {
  const choice = await chooseRunOrArchived(client, name, options);
  if (!('archive' in choice)) return { run: choice.run, tree: await readTree(client, choice.run) };
  await using archive = choice.archive;
  return { run: choice.run, tree: await archivedTree(archive, choice) };
}

function headLines(run: Described): string[] {
  const { kind, metadata, spec, status } = run;
  const condition = conditionOf(run);
  const colour = { succeeded: pc.green, failed: pc.red, cancelled: pc.magenta }[stateOf(condition) as string];
  const reason = condition?.reason ?? 'Pending';
  const rows: [string, string | undefined][] = [
    [kind, pc.bold(`${metadata.namespace}/${metadata.name}`)],
    ['runs', referenceText(run)],
    ['status', (colour ?? pc.yellow)(reason)],
    ['', condition?.message?.trim()],
    ['started', status?.startTime],
    ['completed', status?.completionTime],
    ['Pod', status?.podName || undefined],
    ...(spec?.params ?? []).map(({ name, value }, index): [string, string] => [
      index === 0 ? 'params' : '',
      `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ]),
  ];
  return rows.filter(([, value]) => value).map(([name, value]) => `${pc.dim(name.padEnd(12))}${value}`);
}

function resultLines({ status }: Described): string[] {
  const results = status?.results ?? [];
  if (results.length === 0) return [];
  return [
    '',
    'results:',
    ...results.map(
      ({ name, value }) => `  ${name} = ${typeof value === 'string' ? value.trimEnd() : JSON.stringify(value)}`,
    ),
  ];
}
