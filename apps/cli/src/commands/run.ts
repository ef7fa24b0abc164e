import type { Client } from '@tektite/client';
import { sleep, systemClock } from '@tektite/meta';
import { isOutputClosed } from '../broken-pipe.ts';
import { openCluster } from '../cluster/open-cluster.ts';
import { readImages } from '../cluster/read-images.ts';
import { textLogger } from '../observe/text-logger.ts';
import { startOneShotPlane } from '../one-shot-plane.ts';
import { createObject } from '../run/create-object.ts';
import { planRun, type PlannedObject } from '../run/plan-run.ts';
import { readDocuments } from '../run/read-documents.ts';
import { RunSession } from '../run/run-session.ts';
import { openView } from '../run/view/open-view.ts';
import type { RunView } from '../run/view/run-view.ts';
import { readWorkspace } from '../run/workspace-wish.ts';
import { type Started, undoneAfter } from '../start-together.ts';
import { stopSignal } from '../stop-signal.ts';
import { pipelines } from '../systems/pipelines.ts';
import { UserError } from '../user-error.ts';

export interface RunOptions {
  readonly file: readonly string[];
  readonly param: readonly string[];
  readonly workspace: readonly string[];
  readonly namespace: string;
  readonly serviceaccount?: string;
  readonly timeout?: string;
  readonly kubeconfig?: string;
  readonly images?: string;
  readonly output: string;
}

/** How long a run that was cancelled may take to end. */
const cancelMs = 15_000;

/** `tektite run`: runs what a file says to its end, on a control plane of its own unless a cluster is named. */
export async function run(options: RunOptions): Promise<void> {
  using view = openView(options.output);
  const objects = await plannedObjects(options);
  const stopped = stopSignal();
  try {
    process.exitCode = await undoneAfter(async (started) => {
      const client = await (options.kubeconfig
        ? openNamed(options.kubeconfig, started)
        : openOwn(options, view, started));
      return runToEnd(client, objects, options.namespace, view, stopped.promise);
    });
  } finally {
    stopped.ignore();
  }
}

/** Creates the objects and follows the runs. Ctrl-C cancels them. */
async function runToEnd(
  client: Client,
  objects: readonly PlannedObject[],
  namespace: string,
  view: RunView,
  stop: Promise<void>,
): Promise<number> {
  const abort = new AbortController();
  const session = new RunSession(client, view, abort.signal);
  let interrupted = false;
  void stop.then(() => {
    interrupted = true;
    return endEarly(session, view, abort);
  });
  try {
    const succeeded = await runAll(client, objects, session, namespace, () => interrupted);
    return interrupted ? 130 : succeeded ? 0 : 1;
  } finally {
    abort.abort(new UserError('stopped', 130));
  }
}

async function plannedObjects(options: RunOptions): Promise<readonly PlannedObject[]> {
  const documents = await readDocuments(options.file);
  const wishes = await Promise.all(options.workspace.map((text) => readWorkspace(text, !options.kubeconfig)));
  const plan = planRun(documents, {
    params: options.param,
    workspaces: wishes.map(({ binding }) => binding),
    ...(options.serviceaccount ? { serviceAccount: options.serviceaccount } : {}),
    ...(options.timeout ? { timeout: options.timeout } : {}),
  });
  const extra = wishes.flatMap(({ objects }) => objects.map((object) => ({ object, place: '-w', runs: false })));
  return [...extra, ...plan.objects];
}

async function runAll(
  client: Client,
  objects: readonly PlannedObject[],
  session: RunSession,
  namespace: string,
  isInterrupted: () => boolean,
): Promise<boolean> {
  const ends = [];
  for (const planned of objects) {
    if (isInterrupted()) throw new UserError('stopped', 130);
    const created = await createObject(client, planned, namespace);
    if (planned.runs) ends.push(session.follow(created));
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

async function openNamed(kubeconfig: string, started: Started): Promise<Client> {
  const client = await openCluster({ kubeconfig });
  started.push(() => client.close());
  return client;
}

async function openOwn(options: RunOptions, view: RunView, started: Started): Promise<Client> {
  return startOneShotPlane(
    {
      ...(options.images ? { images: await readImages(options.images) } : {}),
      systems: [pipelines],
      onNotice: (text) => view.note(text),
      log: textLogger((line) => view.note(line)),
    },
    started,
  );
}
