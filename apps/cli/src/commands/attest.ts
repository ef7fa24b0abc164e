import {
  attestationOf,
  createStatement,
  isCompleted,
  parseChainsConfig,
  PipelineRun,
  printStatement,
  type SignedRun,
  TaskRun,
} from '@tektite/chains';
import { type Client, ignoreNotFound } from '@tektite/client';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { chooseRun, type RunChoice } from '../run/choose-run.ts';
import { UserError } from '../user-error.ts';

export interface AttestOptions extends ClusterChoice, RunChoice {
  readonly format?: string;
  readonly output: string;
}

const formats = ['in-toto', 'slsa/v1', 'slsa/v2alpha3', 'slsa/v2alpha4'];

/** `tektite attest RUN`: the statement that the run carries, or the one that Chains would make of it. */
export async function attest(name: string | undefined, options: AttestOptions): Promise<void> {
  const { format, output } = options;
  if (format !== undefined && !formats.includes(format))
    throw new UserError(`--format must be one of ${formats.join(', ')}, not ${JSON.stringify(format)}`, 2);
  if (output !== 'statement' && output !== 'envelope')
    throw new UserError(`-o must be statement or envelope, not ${JSON.stringify(output)}`, 2);
  await withCluster(options, async (client) => {
    const run = await chooseRun(client, name, options);
    const envelope = attestationOf(run);
    if (output === 'envelope') {
      if (envelope === undefined)
        throw new UserError(`${run.metadata.name} is not signed; run it on a cluster with the system chains`);
      process.stdout.write(`${JSON.stringify(envelope, undefined, 2)}\n`);
      return;
    }
    const signed = format === undefined && envelope !== undefined;
    const text = signed
      ? Buffer.from(envelope.payload, 'base64').toString()
      : await makeStatement(client, run as unknown as TaskRun, format ?? 'in-toto');
    process.stdout.write(`${JSON.stringify(JSON.parse(text), undefined, 2)}\n`);
  });
}

async function makeStatement(client: Client, run: TaskRun, format: string): Promise<string> {
  if (!isCompleted(run)) throw new UserError(`${run.metadata.name} has not completed; there is nothing to state yet`);
  try {
    return printStatement(createStatement(await withTaskRuns(client, run), format, parseChainsConfig({})));
  } catch (error) {
    throw new UserError(`${run.metadata.name}: ${(error as Error).message}`);
  }
}

async function withTaskRuns(client: Client, run: TaskRun): Promise<SignedRun> {
  if (run.kind === TaskRun.kind) return { kind: 'TaskRun', run };
  const pipelineRun = run as PipelineRun;
  const taskRuns: TaskRun[] = [];
  for (const { name = '' } of pipelineRun.status?.childReferences ?? []) {
    const key = { name, namespace: run.metadata.namespace ?? '' };
    const child = await client.get(TaskRun, key).catch(ignoreNotFound);
    if (child !== undefined) taskRuns.push(child);
  }
  return { kind: PipelineRun.kind as 'PipelineRun', run: pipelineRun, taskRuns };
}
