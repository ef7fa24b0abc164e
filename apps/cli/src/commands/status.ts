import { resolve } from 'node:path';
import { type Client, isClientError } from '@tektite/client';
import { humanDuration, type KubeObject, systemClock } from '@tektite/meta';
import pc from 'picocolors';
import { conditionOf } from '@tektite/dashboard/run';
import { withCluster } from '../cluster/open-cluster.ts';
import type { FoundRun } from '../run/find-run.ts';
import { runKinds } from '../input/run-kinds.ts';
import { processOn, readInMemoryRecords, readUpRecord, type UpRecord } from '../up-record.ts';

export interface StatusOptions {
  readonly dataDir: string;
  readonly output: string;
}

/** How many objects a control plane has: all, and those that are under way. */
interface Count {
  readonly all: number;
  readonly active: number;
}

interface PlaneStatus extends UpRecord {
  readonly pods?: Count;
  readonly pipelineRuns?: Count;
  readonly taskRuns?: Count;
  /** Why the objects could not be counted. */
  readonly error?: string;
}

/** `tektite status`: the control planes that run on this machine. Exit code 1 when there is none. */
export async function status(options: StatusOptions): Promise<void> {
  const folder = resolve(options.dataDir);
  const record = readUpRecord(folder);
  const records = [...(record ? [record] : []), ...readInMemoryRecords()];
  const planes = await Promise.all(records.map(inspect));
  if (options.output === 'json') process.stdout.write(`${JSON.stringify(planes, undefined, 2)}\n`);
  else process.stdout.write(planes.length > 0 ? planes.map(text).join('\n') : none(folder));
  process.exitCode = planes.length > 0 ? 0 : 1;
}

function none(folder: string): string {
  const starting = processOn(folder);
  if (starting) return `Process ${starting.pid} is starting or stopping a control plane on ${folder}.\n`;
  return `No control plane runs on ${folder}. \`tektite up\` starts one; --data-dir names another folder.\n`;
}

async function inspect(record: UpRecord): Promise<PlaneStatus> {
  try {
    return await withCluster({ kubeconfig: record.kubeconfig }, async (client) => ({
      ...record,
      ...field('pods', await count(client, { apiVersion: 'v1', kind: 'Pod' }, isActivePod)),
      ...field('pipelineRuns', await count(client, runKinds.PipelineRun, isActiveRun)),
      ...field('taskRuns', await count(client, runKinds.TaskRun, isActiveRun)),
    }));
  } catch (error) {
    return { ...record, error: (error as Error).message };
  }
}

const field = (name: string, value: Count | undefined) => (value ? { [name]: value } : {});

const isActivePod = (pod: KubeObject) =>
  ['Pending', 'Running'].includes((pod as { status?: { phase?: string } }).status?.phase ?? 'Pending');
const isActiveRun = (run: KubeObject) => (conditionOf(run as FoundRun)?.status ?? 'Unknown') === 'Unknown';

/** Counts objects of a kind; `undefined` where the server does not have it. */
async function count(
  client: Client,
  kind: { readonly apiVersion: string; readonly kind: string },
  isActive: (object: KubeObject) => boolean,
): Promise<Count | undefined> {
  try {
    let [all, active] = [0, 0];
    for await (const object of client.listAll(kind)) {
      all++;
      if (isActive(object)) active++;
    }
    return { all, active };
  } catch (error) {
    if (isClientError(error, 'UNKNOWN_KIND')) return undefined;
    throw error;
  }
}

function text(plane: PlaneStatus): string {
  const age = humanDuration(systemClock.now() - Date.parse(plane.startedAt));
  const counts = (['pods', 'pipelineRuns', 'taskRuns'] as const).flatMap((name) => {
    const { all, active } = plane[name] ?? {};
    return all === undefined ? [] : [`${all} ${nouns[name]} (${active} active)`];
  });
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['process', `${plane.process.pid}, started ${age} ago, version ${plane.version}`],
    ['state', plane.inMemory ? 'in memory, lost when the process ends' : plane.folder],
    ['kubeconfig', plane.kubeconfig],
    ['runtime', plane.runtime],
    ['systems', plane.systems.join(', ') || 'none'],
    ['dashboard', plane.dashboard],
    ['metrics', plane.statusUrl && `${plane.statusUrl}/metrics`],
    ['objects', counts.join(', ') || undefined],
    ['error', plane.error],
  ];
  const lines = rows.filter(([, value]) => value).map(([name, value]) => `  ${name.padEnd(12)}${value}`);
  return `${pc.bold('tektite')} serves the Kubernetes API at ${pc.cyan(plane.server)}\n${lines.join('\n')}\n`;
}

const nouns = { pods: 'Pods', pipelineRuns: 'PipelineRuns', taskRuns: 'TaskRuns' } as const;
