import { type Client, mergePatch } from '@tektite/client';
import { equalJson, type Json, parseJson, stringifyJson } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { formatLogName, formatRecordName, formatResultName, type RecordName } from '../api/names.ts';
import type { WatcherConfig } from '../config/watcher-config.ts';
import { isCompleted, keyOfMetadata, type Run } from '../kinds/runs.ts';
import type { LogFiles } from '../logs/log-files.ts';
import { logPath } from '../logs/log-files.ts';
import { logData, logObject, logType } from '../logs/log-object.ts';
import type { RecordRow, ResultRow, ResultsStorage, Transaction } from '../storage/storage.ts';
import { annotations } from './annotations.ts';
import { eventListName, logRecordName, recordNameOf, resultNameOf } from './archived-names.ts';
import { isTopLevel, resultFor } from './archived-result.ts';
import { eventListType, eventsOf } from './collect-events.ts';
import { runLog } from './collect-logs.ts';

export interface Archive {
  readonly storage: ResultsStorage;
  readonly logs: Pick<LogFiles, 'write'>;
  readonly config: () => WatcherConfig;
}

/**
 * Archives a run: its Result, its Record, its log and its Events, and says so on the run.
 *
 * Flow
 * 1. The Result and the Record, in one transaction.
 * 2. For a completed run its log, to a file, and then the Record that says where it is; its Events.
 * 3. The annotations, in one request. With them the run may be deleted.
 *
 * All names follow from the uid of the run. A crash anywhere repeats what is above and finds what is there: nothing is archived twice, and
 * nothing is marked that is not archived. The archived run has the annotations of step 3 already, so writing them changes nothing.
 */
export async function archiveRun(
  { storage, logs, config }: Archive,
  client: Client,
  kind: Kind<Run>,
  run: Run,
  signal: AbortSignal,
): Promise<Run> {
  const settings = config();
  const isDone = isCompleted(run);
  const resultName = resultNameOf(run);
  const result = await storage.transact((transaction) => ensureResult(transaction, run, settings.summaryLabels));
  const uid = run.metadata.uid ?? '';
  const log = logRecordName(resultName, result.id, uid);
  const events = eventListName(resultName, result.id, uid);
  const hasLog = isDone && settings.logs && run.kind !== 'CustomRun';
  const hasEvents = isDone && settings.events;
  const wanted: Readonly<Record<string, string>> = {
    [annotations.result]: formatResultName(resultName),
    [annotations.record]: formatRecordName(recordNameOf(run)),
    ...(hasLog ? { [annotations.log]: formatLogName(log) } : {}),
    ...(hasEvents ? { [annotations.eventList]: formatRecordName(events) } : {}),
    ...(isDone ? { [annotations.stored]: 'true' } : {}),
    ...(isDone && !isTopLevel(run) ? { [annotations.childReady]: 'true' } : {}),
  };
  const archived = archivedForm(run, wanted);
  await storage.transact((transaction) =>
    upsert(transaction, result, recordNameOf(run), `${run.apiVersion}.${run.kind}`, archived),
  );
  if (hasLog) await storeLog({ storage, logs }, client, run, result, log, signal);
  if (hasEvents) await storeEvents(storage, client, run, result, events, signal);
  if (Object.entries(wanted).every(([key, value]) => run.metadata.annotations?.[key] === value)) return run;
  const patch = { metadata: { uid, annotations: wanted } };
  return client.patch(kind, keyOfMetadata(run.metadata), mergePatch(patch));
}

async function ensureResult(transaction: Transaction, run: Run, summaryLabels: readonly string[]): Promise<ResultRow> {
  const { parent, result: name } = resultNameOf(run);
  const known = await transaction.getResult(parent, name);
  const wanted = resultFor(run, known, summaryLabels);
  if (!known) return transaction.insertResult(wanted ?? { parent, name, annotations: {} });
  return wanted ? transaction.updateResult({ ...known, ...wanted }) : known;
}

/** The run as it is kept: without what only the API server needs. */
function archivedForm(run: Run, wanted: Readonly<Record<string, string>>): Run {
  const { managedFields: _dropped, ...metadata } = run.metadata;
  return { ...run, metadata: { ...metadata, annotations: { ...metadata.annotations, ...wanted } } };
}

async function upsert(
  transaction: Transaction,
  result: ResultRow,
  { parent, result: resultName, name }: RecordName,
  type: string,
  object: Run,
): Promise<RecordRow> {
  const known = await transaction.getRecord(parent, resultName, name);
  const data = Buffer.from(stringifyJson(object));
  if (!known) return transaction.insertRecord({ parent, resultName, resultId: result.id, name, type, data });
  if (known.type === type && sameRun(parseJson(Buffer.from(known.data).toString()) as Run, object)) return known;
  return transaction.updateRecord({ ...known, type, data });
}

/** Whether two states of a run are the same but for what writing its annotations changed. */
function sameRun(a: Run, b: Run): boolean {
  return equalJson(comparable(a), comparable(b));
}

function comparable({ metadata, ...rest }: Run): Json {
  const { resourceVersion: _version, finalizers: _finalizers, generation: _generation, ...kept } = metadata;
  return { ...rest, metadata: kept } as unknown as Json;
}

async function storeLog(
  { storage, logs }: Pick<Archive, 'storage' | 'logs'>,
  client: Client,
  run: Run,
  result: ResultRow,
  name: RecordName,
  signal: AbortSignal,
): Promise<void> {
  const { parent, result: resultName } = name;
  if (await storage.getRecord(parent, resultName, name.name)) return;
  const path = logPath(parent, name.name, undefined);
  const size = await logs.write(path, runLog(client, run, signal));
  const { namespace = '', name: runName = '', uid = '' } = run.metadata;
  const log = logObject({
    metadata: { name: `${runName}-log`, namespace, uid: name.name },
    spec: { resource: { kind: run.kind, namespace, name: runName, uid }, type: 'File' },
    status: { path, size, isStored: true, errorOnStoreMsg: '', isRetryableErr: false },
  });
  await insertOnce(storage, result, name, logType, logData(log));
}

async function storeEvents(
  storage: ResultsStorage,
  client: Client,
  run: Run,
  result: ResultRow,
  name: RecordName,
  signal: AbortSignal,
): Promise<void> {
  if (await storage.getRecord(name.parent, name.result, name.name)) return;
  await insertOnce(storage, result, name, eventListType, await eventsOf(client, run, signal));
}

function insertOnce(
  storage: ResultsStorage,
  result: ResultRow,
  { parent, result: resultName, name }: RecordName,
  type: string,
  data: Buffer,
): Promise<RecordRow> {
  return storage.transact(
    async (transaction) =>
      (await transaction.getRecord(parent, resultName, name)) ??
      transaction.insertRecord({ parent, resultName, resultId: result.id, name, type, data }),
  );
}
