import type { KubeObject } from '@tektite/meta';
import type { Param, RunResult, TaskRunStatus } from '@tektite/pipelines';
import pc from 'picocolors';
import { withCluster } from '../cluster/open-cluster.ts';
import { findRun } from '../run/find-run.ts';
import { readTree } from '../run/read-tree.ts';
import { conditionOf, stateOf } from '../run/run-tree.ts';
import { recordedTimes } from '../run/timeline.ts';
import { treeLines } from '../run/view/tree-lines.ts';
import { terminalText } from '../terminal-text.ts';
import { UserError } from '../user-error.ts';

export interface DescribeOptions {
  readonly namespace: string;
  readonly kubeconfig?: string;
  readonly dataDir: string;
  readonly output: string;
}

interface Described extends KubeObject {
  readonly spec?: { readonly params?: readonly Param[]; readonly [reference: string]: unknown };
  readonly status?: Partial<TaskRunStatus> & { readonly results?: readonly RunResult[] };
}

/** `tektite describe RUN`: what it was given, how it went, and what came of it. */
export async function describe(name: string, options: DescribeOptions): Promise<void> {
  if (options.output !== 'text' && options.output !== 'json')
    throw new UserError(`-o must be text or json, not ${JSON.stringify(options.output)}`);
  await withCluster(options, async (client) => {
    const run = (await findRun(client, name, options.namespace)) as Described;
    const tree = await readTree(client, run);
    if (options.output === 'json') {
      process.stdout.write(`${JSON.stringify(tree, undefined, 2)}\n`);
      return;
    }
    const lines = [...headLines(run), '', ...treeLines(tree, recordedTimes, client.clock.now()), ...resultLines(run)];
    process.stdout.write(`${lines.map(terminalText).join('\n')}\n`);
  });
}

function headLines(run: Described): string[] {
  const { kind, metadata, spec, status } = run;
  const condition = conditionOf(run);
  const colour = { succeeded: pc.green, failed: pc.red, cancelled: pc.magenta }[stateOf(condition) as string];
  const reason = condition?.reason ?? 'not begun';
  const rows: [string, string | undefined][] = [
    [kind, pc.bold(`${metadata.namespace}/${metadata.name}`)],
    ['runs', referenceOf(spec)],
    ['status', (colour ?? pc.yellow)(reason)],
    ['', condition?.message?.trim()],
    ['began', status?.startTime],
    ['ended', status?.completionTime],
    ['Pod', status?.podName || undefined],
    ...(spec?.params ?? []).map(({ name, value }, index): [string, string] => [
      index === 0 ? 'params' : '',
      `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ]),
  ];
  return rows.filter(([, value]) => value).map(([name, value]) => `${pc.dim(name.padEnd(12))}${value}`);
}

function referenceOf(spec: Described['spec']): string | undefined {
  for (const field of ['pipelineRef', 'taskRef', 'customRef']) {
    const reference = spec?.[field] as { name?: string; kind?: string; resolver?: string } | undefined;
    if (reference?.name) return `${reference.kind ?? field.replace('Ref', '')} ${reference.name}`;
    if (reference?.resolver) return `from the ${reference.resolver} resolver`;
  }
  return 'what it says itself';
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
