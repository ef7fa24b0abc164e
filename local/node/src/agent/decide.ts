import type { Container, Pod } from '@tektite/schema/kubernetes';
import { changedResources } from '../container/container-resources.ts';
import {
  type ContainerEntry,
  type ContainerInstance,
  type ContainerRecord,
  containersOf,
  ephemeralContainersOf,
  isRunning,
} from '../container/container-record.ts';
import { backOffUntil, shouldRestart } from '../container/restart-policy.ts';

/** The next action for a Pod. */
export type PodAction =
  /** Run the container, again or for the first time. */
  | { readonly type: 'start'; readonly name: string }
  /** End one that a probe found unhealthy; it will be replaced. */
  | { readonly type: 'stop'; readonly name: string; readonly message: string; readonly probe: 'startup' | 'liveness' }
  /** End one whose image was changed; it will be run again with the new one. */
  | { readonly type: 'replace'; readonly name: string; readonly message: string }
  /** Give one that runs the resources that it has been allocated. */
  | { readonly type: 'resize'; readonly name: string }
  /** It failed too often lately. */
  | { readonly type: 'backOff'; readonly name: string; readonly until: number }
  /** Nothing to do before this time. */
  | { readonly type: 'wait'; readonly until: number }
  /** End all containers, and start none. */
  | { readonly type: 'stopAll' }
  /** No container runs, and none will. */
  | { readonly type: 'finish' };

export interface PodView {
  readonly pod: Pod;
  readonly records: ReadonlyMap<string, ContainerRecord>;
  readonly now: number;
  /** The Pod has to end whatever its containers do: it is being deleted, or its time is up. */
  readonly ending: boolean;
}

/**
 * The life of a Pod: init containers one after the other, sidecars among them kept running, then all others at once;
 * each restarted by its policy; and the end.
 *
 * The same view gives the same actions. Repeated observation and action converges to a view with nothing but waiting.
 */
export function decide(view: PodView): PodAction[] {
  if (view.ending || hasCompleted(view)) return endActions(view);
  const actions: PodAction[] = [];
  const initialized = initialize(view, actions);
  if (initialized) for (const entry of entriesOf(view.pod, 'app')) keepRunning(view, entry, actions);
  for (const entry of ephemeralContainersOf(view.pod)) keepRunning(view, entry, actions);
  return actions;
}

/** Whether all containers that count have ended for good. */
export function hasCompleted(view: PodView): boolean {
  const { pod, records } = view;
  for (const { container, role } of entriesOf(pod, 'init')) {
    const end = records.get(container.name)?.instance?.termination;
    if (end && end.exitCode !== 0 && !shouldRestart(pod, container, role, end.exitCode)) return true;
  }
  return entriesOf(pod, 'app').every(({ container, role }) => {
    const { termination, replaced } = records.get(container.name)?.instance ?? {};
    return termination !== undefined && !replaced && !shouldRestart(pod, container, role, termination.exitCode);
  });
}

function endActions({ records }: PodView): PodAction[] {
  return [...records.values()].some(isRunning) ? [{ type: 'stopAll' }] : [{ type: 'finish' }];
}

function entriesOf(pod: Pod, ...roles: readonly string[]): ContainerEntry[] {
  return containersOf(pod).filter(({ role }) => roles.includes(role));
}

/** Whether the other containers may run. Adds what is to be done until then, and for sidecars afterwards. */
function initialize(view: PodView, actions: PodAction[]): boolean {
  const { pod, records } = view;
  const before = entriesOf(pod, 'app').some(({ container }) => records.get(container.name)?.instance !== undefined);
  for (const entry of entriesOf(pod, 'init', 'sidecar')) {
    const record = records.get(entry.container.name);
    if (entry.role === 'init') {
      if (record?.instance?.termination?.exitCode === 0) continue;
      // Nothing is known of it, and the containers that it prepares have been started. One that ended before the node was
      // restarted is known, and runs again.
      if (before && !record?.instance && !record?.lastTermination) continue;
      keepRunning(view, entry, actions);
      return false;
    }
    keepRunning(view, entry, actions);
    const up = record !== undefined && isRunning(record) && record.instance?.started === true;
    if (!up && !before) return false;
  }
  return true;
}

function keepRunning(view: PodView, { container, role }: ContainerEntry, actions: PodAction[]): void {
  const record = view.records.get(container.name);
  if (record?.stopping) return;
  if (!record?.instance) {
    startWhenDue(view, container.name, record, actions);
    return;
  }
  const { termination, unhealthy, replaced, image } = record.instance;
  if (!termination) {
    if (unhealthy)
      actions.push({
        type: 'stop',
        name: container.name,
        probe: unhealthy,
        message: killMessage(container, role, unhealthy),
      });
    else if (image !== undefined && image !== (container.image ?? ''))
      actions.push({
        type: 'replace',
        name: container.name,
        message: `Container ${container.name} definition changed, will be restarted`,
      });
    else actions.push(...resizeActions(container, record.instance));
    return;
  }
  if (replaced) {
    startWhenDue(view, container.name, record, actions);
    return;
  }
  if (!shouldRestart(view.pod, container, role, termination.exitCode)) return;
  const until = backOffUntil(record.backOff, termination.finishedAt ?? 0, view.now);
  if (until !== undefined) actions.push({ type: 'backOff', name: container.name, until });
  else startWhenDue(view, container.name, record, actions);
}

function resizeActions(container: Container, { resources }: ContainerInstance): PodAction[] {
  const changed = resources === undefined ? [] : changedResources(resources, container.resources);
  if (changed.length === 0) return [];
  const { name } = container;
  const policies = container.resizePolicy ?? [];
  const restarts = policies.some(
    ({ resourceName, restartPolicy }) => restartPolicy === 'RestartContainer' && changed.includes(resourceName),
  );
  return restarts
    ? [{ type: 'replace', name, message: `Container ${name} resize requires restart` }]
    : [{ type: 'resize', name }];
}

function startWhenDue({ now }: PodView, name: string, record: ContainerRecord | undefined, actions: PodAction[]): void {
  if (record?.retryAt !== undefined && now < record.retryAt) actions.push({ type: 'wait', until: record.retryAt });
  else actions.push({ type: 'start', name });
}

function killMessage({ name }: Container, role: string, probe: 'startup' | 'liveness'): string {
  if (role !== 'app') return `Init container ${name} failed ${probe} probe`;
  return `Container ${name} failed ${probe} probe, will be restarted`;
}
