import { Client, httpTransport, isClientError, loadConfig, staticCredentials } from '@tektite/client';
import { isStatusError, type KubeObject } from '@tektite/meta';
import type { TaskRunStatus } from '@tektite/pipelines';
import pc from 'picocolors';
import { startControlPlane } from '../control-plane.ts';
import { badInput } from '../run/bad-input.ts';
import { followRun } from '../run/follow-run.ts';
import { planRun, type RunPlan } from '../run/plan-run.ts';
import { readDocuments } from '../run/read-documents.ts';
import { stopSignal } from '../stop-signal.ts';
import { pipelines } from '../systems/pipelines.ts';
import { UserError } from '../user-error.ts';

export interface RunOptions {
  readonly file: readonly string[];
  readonly param: readonly string[];
  readonly namespace: string;
  readonly serviceaccount?: string;
  readonly timeout?: string;
  readonly kubeconfig?: string;
  readonly output: string;
}

/** `tektite run`: runs what a file says to its end, on a control plane of its own unless a cluster is named. */
export async function run(options: RunOptions): Promise<void> {
  const plan = planRun(await readDocuments(options.file), {
    params: options.param,
    ...(options.serviceaccount ? { serviceAccount: options.serviceaccount } : {}),
    ...(options.timeout ? { timeout: options.timeout } : {}),
  });
  const stopped = stopSignal();
  const abort = new AbortController();
  void stopped.promise.then(() => abort.abort(new UserError('stopped')));
  const started: (() => Promise<unknown>)[] = [];
  try {
    const client = options.kubeconfig ? await openCluster(options.kubeconfig) : await openOwn(started);
    started.push(() => client.close());
    const good = await runAll(client, plan, options, abort.signal);
    process.exitCode = good ? 0 : 1;
  } finally {
    for (let undo = started.pop(); undo; undo = started.pop()) await undo();
    stopped.ignore();
  }
}

async function openCluster(kubeconfig: string): Promise<Client> {
  try {
    return new Client(httpTransport(await loadConfig({ kubeconfig })));
  } catch (error) {
    if (isClientError(error)) throw new UserError(error.message);
    throw error;
  }
}

async function openOwn(started: (() => Promise<unknown>)[]): Promise<Client> {
  const plane = await startControlPlane({
    dataDir: '',
    inMemory: true,
    host: '127.0.0.1',
    port: 0,
    disabledAdmissionPlugins: [],
    runtime: 'host',
    systems: [pipelines],
    onError: (error) => console.error(pc.red('internal error:'), error),
  });
  started.push(() => plane.close());
  const { server, authority, certificate, key } = plane.connection;
  const credentials = staticCredentials({ clientCertificate: { certificate, key } });
  return new Client(httpTransport({ server, certificateAuthority: authority, namespace: 'default', credentials }));
}

async function runAll(client: Client, plan: RunPlan, options: RunOptions, signal: AbortSignal): Promise<boolean> {
  const runs: Promise<boolean>[] = [];
  for (const { object, place, runs: isRun } of plan.objects) {
    const created = await create(client, object, place, options.namespace);
    if (isRun) runs.push(showRun(client, created, options, signal));
  }
  return (await Promise.all(runs)).every(Boolean);
}

async function create(client: Client, object: KubeObject, place: string, namespace: string): Promise<KubeObject> {
  try {
    // The server knows which kinds are in a namespace.
    const { scope } = await client.discovery.find(object);
    if (scope === 'Cluster' || object.metadata.namespace) return await client.create(object);
    return await client.create({ ...object, metadata: { ...object.metadata, namespace } });
  } catch (error) {
    if (!isStatusError(error) && !isClientError(error, 'UNKNOWN_KIND')) throw error;
    throw badInput(`${place}: ${error.message}`);
  }
}

async function showRun(
  client: Client,
  object: KubeObject,
  { output }: RunOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { name = '', namespace = '' } = object.metadata;
  const json = output === 'json';
  const print = (value: object, text: string) =>
    void process.stdout.write(json ? `${JSON.stringify({ run: name, ...value })}\n` : text);
  print({ event: 'started' }, pc.bold(`TaskRun ${name}\n`));
  const status = await followRun(
    client,
    { namespace, name },
    {
      log: (step, line) => print({ step, line }, `${pc.cyan(`[${step}]`)} ${line}\n`),
      step: (step, exitCode) => {
        if (exitCode === undefined) return;
        const mark = exitCode === 0 ? pc.green('✓') : pc.red(`✗ exit code ${exitCode}`);
        print({ step, exitCode }, `${pc.cyan(`[${step}]`)} ${mark}\n`);
      },
    },
    signal,
  );
  return tellEnd(status, print);
}

function tellEnd(status: TaskRunStatus, print: (value: object, text: string) => void): boolean {
  const condition = status.conditions?.find(({ type }) => type === 'Succeeded');
  const good = condition?.status === 'True';
  const results = status.results ?? [];
  const lines = results.map(
    ({ name, value }) => `  ${name} = ${typeof value === 'string' ? value.trimEnd() : JSON.stringify(value)}\n`,
  );
  const head = good ? pc.green(`${condition.reason}`) : pc.red(`${condition?.reason}: ${condition?.message ?? ''}`);
  const { reason, message } = condition ?? {};
  print(
    { succeeded: good, reason, message, results },
    `${head}\n${lines.length > 0 ? `results:\n${lines.join('')}` : ''}`,
  );
  return good;
}
