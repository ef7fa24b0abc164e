import type { Client } from '@tektite/client';
import { humanDuration, stringifyJson } from '@tektite/meta';
import pc from 'picocolors';
import { conditionOf, type RunState, spanOf, stateOf } from '@tektite/dashboard/run';
import { ArchiveClient } from '../archive/archive-client.ts';
import { archivedRuns } from '../archive/archived-runs.ts';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import type { RunKind } from '../input/run-kinds.ts';
import { listRuns } from '../run/choose-run.ts';
import { findKind, type FoundRun } from '../run/find-run.ts';
import { referenceText } from '../run/reference-text.ts';
import { type Column, textTable } from '../text-table.ts';
import { readNumber, UserError } from '../user-error.ts';

export interface ListOptions extends ClusterChoice {
  readonly namespace: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly status?: string;
  readonly limit?: string;
  readonly tasks?: boolean;
  readonly archived?: boolean;
  readonly output: string;
}

const states: readonly RunState[] = ['waiting', 'running', 'succeeded', 'failed', 'cancelled'];

/** `tektite list`: the runs of a namespace, the newest first. */
export async function list(kind: string | undefined, options: ListOptions): Promise<void> {
  const state = readState(options.status);
  const limit = options.limit === undefined ? undefined : readNumber('--limit', options.limit, 1, 999_999_999);
  const wanted = kind === undefined ? undefined : findKind(kind);
  await withCluster(options, async (client) => {
    if (options.archived) return printArchived(client, options, wanted, state, limit);
    const all = await listRuns(client, {
      ...(options.allNamespaces ? {} : { namespace: options.namespace }),
      ...(options.selector ? { labelSelector: options.selector } : {}),
      ...(options.tasks ? { parts: true } : {}),
    });
    const runs = all
      .filter((run) => wanted === undefined || run.kind === wanted)
      .filter((run) => state === undefined || stateOf(conditionOf(run)) === state)
      .slice(0, limit);
    print(runs, options, client.clock.now());
  });
}

/** So many, unless there is a limit: an archive does not end. */
const archivedLimit = 50;

async function printArchived(
  client: Client,
  options: ListOptions,
  kind: RunKind | undefined,
  state: RunState | undefined,
  limit = archivedLimit,
): Promise<void> {
  await using archive = await ArchiveClient.open(client);
  const runs: FoundRun[] = [];
  const selection = {
    ...(options.allNamespaces ? {} : { namespace: options.namespace }),
    ...(options.selector ? { labelSelector: options.selector } : {}),
    ...(options.tasks ? { parts: true } : {}),
    ...(kind ? { kind } : {}),
  };
  for await (const run of archivedRuns(archive, selection)) {
    if (state === undefined || stateOf(conditionOf(run)) === state) runs.push(run);
    if (runs.length === limit) break;
  }
  print(runs, options, client.clock.now());
}

function readState(text: string | undefined): RunState | undefined {
  const state = states.find((each) => each === text?.toLowerCase());
  if (text !== undefined && !state)
    throw new UserError(`--status must be one of ${states.join(', ')}, not ${JSON.stringify(text)}`, 2);
  return state;
}

function print(runs: readonly FoundRun[], options: ListOptions, now: number): void {
  const { output, namespace, allNamespaces } = options;
  if (output === 'json') {
    process.stdout.write(`${stringifyJson({ apiVersion: 'v1', kind: 'List', items: runs }, 2)}\n`);
  } else if (output === 'name') {
    for (const { kind, metadata } of runs) process.stdout.write(`${kind.toLowerCase()}/${metadata.name}\n`);
  } else if (runs.length === 0) {
    process.stderr.write(allNamespaces ? 'No runs found.\n' : `No runs found in namespace ${namespace}.\n`);
  } else {
    process.stdout.write(textTable(columnsFor(options, now), runs));
  }
}

function columnsFor({ allNamespaces, output }: ListOptions, now: number): readonly Column<FoundRun>[] {
  return [
    ...(allNamespaces ? [{ heading: 'NAMESPACE', cell: ({ metadata }: FoundRun) => metadata.namespace ?? '' }] : []),
    { heading: 'KIND', cell: ({ kind }) => kind },
    { heading: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
    { heading: 'STATUS', cell: statusText },
    { heading: 'AGE', cell: ({ metadata }) => ageOf(metadata.creationTimestamp, now) },
    { heading: 'DURATION', cell: (run) => durationOf(run, now) },
    ...(output === 'wide'
      ? [
          { heading: 'RUNS', cell: (run: FoundRun) => referenceText(run) },
          { heading: 'MESSAGE', cell: (run: FoundRun) => conditionOf(run)?.message?.split('\n', 1)[0] ?? '' },
        ]
      : []),
  ];
}

function statusText(run: FoundRun): string {
  const condition = conditionOf(run);
  const colour = { succeeded: pc.green, failed: pc.red, cancelled: pc.magenta, running: pc.yellow }[
    stateOf(condition) as string
  ];
  return (colour ?? pc.dim)(condition?.reason ?? 'Pending');
}

function ageOf(time: string | null | undefined, now: number): string {
  return time ? humanDuration(now - Date.parse(time)) : '';
}

function durationOf(run: FoundRun, now: number): string {
  const { recorded } = spanOf(run.status?.startTime, run.status?.completionTime);
  return recorded ? humanDuration((recorded.ended ?? now) - recorded.began) : '';
}
