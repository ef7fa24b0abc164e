import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { Client } from '@tektite/client';
import { type KubeObject, sleep, systemClock } from '@tektite/meta';
import { entrypointMissing, entrypointProgram } from '@tektite/pipelines';
import pc from 'picocolors';
import { isOutputClosed } from '../broken-pipe.ts';
import { openCluster } from '../cluster/open-cluster.ts';
import { readImages } from '../cluster/read-images.ts';
import { readNetwork, readRuntime, stepRuntimeNames } from '../cluster/runtimes.ts';
import { textLogger } from '../observe/text-logger.ts';
import { errorText } from '../report-error.ts';
import { nextChange } from '../run/next-change.ts';
import { startOneShotCluster } from '../one-shot-cluster.ts';
import { createObject } from '../run/create-object.ts';
import type { PlannedObject } from '../run/plan-run.ts';
import { prepareRun, type RunInputs } from '../run/prepare-run.ts';
import { RecordingView } from '../run/report/recorded-run.ts';
import { readReports } from '../run/report/wanted-reports.ts';
import { RunSession } from '../run/run-session.ts';
import { openView } from '../run/view/open-view.ts';
import type { RunEnd, RunView } from '../run/view/run-view.ts';
import { stopSignal } from '../stop-signal.ts';
import { pipelinesFor } from '../systems/pipelines.ts';
import { type Started, undoneAfter } from '../undone-after.ts';
import { UserError } from '../user-error.ts';

export interface RunOptions extends RunInputs {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly images?: string;
  readonly runtime: string;
  readonly network: string;
  readonly keep?: boolean;
  readonly report: readonly string[];
  readonly watch?: boolean;
  readonly output: string;
}

/** How long files may go on changing before the next run. */
const settleMs = 150;

/** How long a run that was cancelled may take to end. */
const cancelMs = 15_000;

/** `tektite run`: runs Tasks and Pipelines to completion, on an embedded control plane unless a cluster is named. */
export async function run(files: readonly string[], given: RunOptions): Promise<void> {
  const options = { ...given, file: [...given.file, ...files] };
  if (options.file.length === 0)
    throw new UserError('name what to run: a file, a folder, a URL, or - for standard input', 2);
  process.exitCode = options.watch ? await runAgainAndAgain(options) : await runOnce(options);
}

/** Runs, and runs again whenever a file changes, until Ctrl-C. */
async function runAgainAndAgain(options: RunOptions): Promise<number> {
  if (options.file.includes('-')) throw new UserError('--watch: standard input cannot be watched; name a file', 2);
  for (;;) {
    // Changes by the run itself are no reason to run again: folders are watched when it has ended.
    const code = await runOnce(options).catch(async (error: unknown) => {
      if (!(error instanceof UserError) || error.exitCode === 130) throw error;
      process.stderr.write(errorText(error));
      return error.exitCode;
    });
    if (code === 130 || isOutputClosed()) return code;
    const file = await waitForChange(watchedPaths(options));
    if (file === undefined) return 130;
    process.stderr.write(pc.dim(`${relative(process.cwd(), file)} changed\n\n`));
  }
}

/** Resolves with the file that changed, or with nothing after Ctrl-C. */
async function waitForChange(paths: readonly string[]): Promise<string | undefined> {
  const stopped = stopSignal();
  const abort = new AbortController();
  try {
    const change = nextChange(paths, abort.signal);
    process.stderr.write(pc.dim('waiting for changes; Ctrl-C ends\n'));
    const file = await Promise.race([change, stopped.promise.then(() => undefined)]);
    // Editors and version control write several files at once.
    if (file !== undefined) await sleep(systemClock, settleMs);
    return file;
  } finally {
    abort.abort();
    stopped.ignore();
  }
}

/** The files of the command line that are on this machine. */
function watchedPaths({ file, workspace, secret, images }: RunOptions): readonly string[] {
  const values = [...workspace, ...secret].map((word) => word.slice(word.indexOf('=') + 1));
  return [...file, ...values, ...(images ? [images] : [])].filter((path) => existsSync(path));
}

/** One run; gives the exit code. */
async function runOnce(options: RunOptions): Promise<number> {
  const reports = readReports(options.report, process.env);
  using shown = openView(options.output);
  const view = reports.length > 0 ? new RecordingView(shown) : shown;
  const created = new Map<string, PlannedObject>();
  const stopped = stopSignal();
  let code: number;
  try {
    code = await undoneAfter(async (started) => {
      const cluster = isOnCluster(options) ? await openNamed(options, started) : undefined;
      const objects = await prepareRun(options, cluster, (text) => view.note(text));
      const client = cluster ?? (await openOwn(options, view, started));
      return runToEnd(client, objects, options.namespace, view, stopped.promise, created);
    });
  } finally {
    stopped.ignore();
  }
  if (!(view instanceof RecordingView)) return code;
  // Programs that read JSON from standard output get nothing else there.
  const stream = options.output === 'json' ? process.stderr : process.stdout;
  const { writeReports } = await import('../run/report/write-reports.ts');
  await writeReports(reports, view.runs, created, (text) => void stream.write(text));
  return code;
}

function isOnCluster({ kubeconfig, context }: RunOptions): boolean {
  return kubeconfig !== undefined || context !== undefined;
}

/** Creates the objects and follows the runs. Ctrl-C cancels them. */
async function runToEnd(
  client: Client,
  objects: readonly PlannedObject[],
  namespace: string,
  view: RunView,
  stop: Promise<void>,
  created: Map<string, PlannedObject>,
): Promise<number> {
  const abort = new AbortController();
  const session = new RunSession(client, view, abort.signal);
  let interrupted = false;
  void stop.then(() => {
    interrupted = true;
    return endEarly(session, view, abort);
  });
  // Ctrl-C while the control plane started has been received by now.
  await Promise.resolve();
  try {
    const succeeded = await runAll(
      client,
      objects,
      namespace,
      () => interrupted,
      (planned, run) => {
        created.set(run.metadata.name ?? '', planned);
        const end = session.follow(run);
        // It was created while the others were cancelled.
        if (interrupted) void session.cancel().catch(() => undefined);
        return end;
      },
    );
    return interrupted ? 130 : succeeded ? 0 : 1;
  } finally {
    abort.abort(new UserError('stopped', 130));
  }
}

async function runAll(
  client: Client,
  objects: readonly PlannedObject[],
  namespace: string,
  isInterrupted: () => boolean,
  follow: (planned: PlannedObject, run: KubeObject) => Promise<RunEnd>,
): Promise<boolean> {
  const ends = [];
  for (const planned of objects) {
    if (isInterrupted()) throw new UserError('stopped', 130);
    const object = await createObject(client, planned, namespace);
    if (planned.runs) ends.push(follow(planned, object));
  }
  return (await Promise.all(ends)).every(({ state }) => state === 'succeeded');
}

/** The first Ctrl-C cancels the runs, and they are followed to their end. The second does not wait for that. */
async function endEarly(session: RunSession, view: RunView, abort: AbortController): Promise<void> {
  const again = stopSignal();
  if (!isOutputClosed()) view.note('cancelling; Ctrl-C again to leave at once');
  try {
    await session.cancel();
    await Promise.race([again.promise, sleep(systemClock, cancelMs, abort.signal).catch(() => undefined)]);
  } finally {
    again.ignore();
    abort.abort(new UserError('stopped', 130));
  }
}

async function openNamed({ kubeconfig, context }: RunOptions, started: Started): Promise<Client> {
  const client = await openCluster({ ...(kubeconfig ? { kubeconfig } : {}), ...(context ? { context } : {}) });
  started.push(() => client.close());
  return client;
}

async function openOwn(options: RunOptions, view: RunView, started: Started): Promise<Client> {
  if (entrypointProgram() === undefined) throw new UserError(entrypointMissing);
  const images = options.images ? await readImages(options.images) : {};
  const cluster = await startOneShotCluster({
    runtime: readRuntime(options.runtime, stepRuntimeNames),
    network: readNetwork(options.network),
    images,
    ...(options.keep ? { keep: true } : {}),
    systems: [pipelinesFor({ imageMapping: images })],
    onNotice: (text) => view.note(text),
    onPull: (progress) => view.pulling?.(progress),
    log: textLogger((line) => view.note(line)),
  });
  started.push(async () => cluster[Symbol.asyncDispose]());
  return cluster.client;
}
