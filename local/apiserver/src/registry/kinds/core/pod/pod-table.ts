import type { ContainerStatus, Pod, PodStatus } from '@tektite/schema/kubernetes';
import type { TablePrinter } from '../../../kind-strategy.ts';
import { ageOf, nameOf, since } from '../../table/cells.ts';
import { podColumns } from '../columns.ts';
import { isSidecar } from './aggregate-resources.ts';

/** The summary of a Pod's containers in a table. */
interface Summary {
  reason: string;
  ready: number;
  restarts: number;
  lastRestart: string;
}

export const podTable: TablePrinter<Pod> = {
  columns: podColumns,
  row(pod, context) {
    const { reason, ready, restarts, lastRestart } = summarize(pod);
    const containers = (pod.spec?.containers?.length ?? 0) + (pod.spec?.initContainers ?? []).filter(isSidecar).length;
    const ago = restarts > 0 && lastRestart !== '' ? ` (${since(lastRestart, context.now)} ago)` : '';
    return [
      nameOf(pod),
      `${ready}/${containers}`,
      reason,
      `${restarts}${ago}`,
      ageOf(pod, context),
      pod.status?.podIPs?.[0]?.ip || '<none>',
      pod.spec?.nodeName || '<none>',
      pod.status?.nominatedNodeName || '<none>',
      readinessGates(pod),
    ];
  },
  rowConditions({ status }) {
    if (status?.phase === 'Succeeded')
      return [
        { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
      ];
    if (status?.phase === 'Failed')
      return [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }];
    return [];
  },
};

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(({ conditionType }) => hasCondition(status, conditionType));
  return `${open.length}/${gates.length}`;
}

function hasCondition(status: PodStatus | undefined, type: string): boolean {
  return status?.conditions?.find((condition) => condition.type === type)?.status === 'True';
}

function summarize(pod: Pod): Summary {
  const status = pod.status ?? {};
  const summary: Summary = { reason: status.reason || status.phase || '', ready: 0, restarts: 0, lastRestart: '' };
  if (status.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated'))
    summary.reason = 'SchedulingGated';
  const sidecars: Summary = { ...summary, restarts: 0, lastRestart: '' };
  const initializing = summarizeInit(pod, summary, sidecars);
  if (!initializing || hasCondition(status, 'Initialized')) {
    summary.restarts = sidecars.restarts;
    summary.lastRestart = sidecars.lastRestart;
    summarizeRegular(status, summary);
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (status.reason === 'NodeLost') summary.reason = 'Unknown';
    else if (status.phase !== 'Failed' && status.phase !== 'Succeeded') summary.reason = 'Terminating';
  }
  return summary;
}

function countRestarts(status: ContainerStatus, ...summaries: Summary[]): void {
  const finished = status.lastState?.terminated?.finishedAt ?? '';
  for (const summary of summaries) {
    summary.restarts += status.restartCount ?? 0;
    if (finished > summary.lastRestart) summary.lastRestart = finished;
  }
}

/** Whether init containers still run or failed; the first of them that does gives the reason. */
function summarizeInit({ spec, status }: Pod, summary: Summary, sidecars: Summary): boolean {
  const containers = spec?.initContainers ?? [];
  for (const [i, container] of (status?.initContainerStatuses ?? []).entries()) {
    const declared = containers.find(({ name }) => name === container.name);
    const sidecar = declared !== undefined && isSidecar(declared);
    countRestarts(container, ...(sidecar ? [summary, sidecars] : [summary]));
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (sidecar && container.started) {
      if (container.ready) summary.ready++;
      continue;
    }
    if (terminated) summary.reason = `Init:${terminationReason(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') summary.reason = `Init:${waiting.reason}`;
    else summary.reason = `Init:${i}/${containers.length}`;
    return true;
  }
  return false;
}

function terminationReason({
  reason,
  signal,
  exitCode,
}: {
  readonly reason?: string;
  readonly signal?: number;
  readonly exitCode: number;
}): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

function summarizeRegular(status: PodStatus, summary: Summary): void {
  let running = false;
  let failure = '';
  for (const container of [...(status.containerStatuses ?? [])].reverse()) {
    countRestarts(container, summary);
    const { waiting, terminated } = container.state ?? {};
    if (waiting?.reason) summary.reason = waiting.reason;
    else if (terminated) {
      summary.reason = terminationReason(terminated);
      if (terminated.exitCode !== 0) failure = summary.reason;
    } else if (container.ready && container.state?.running) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed') return;
  if (running && hasCondition(status, 'Ready')) summary.reason = 'Running';
  else if (failure !== '') summary.reason = failure;
  else if (running) summary.reason = 'NotReady';
}
