import type { KubeObject } from '@tektite/meta';
import type { ChangeEntry, History } from './history.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/**
 * The features of a run: every transition of a condition or phase, every pair of a fault and its place, and what the components add.
 * A run with a new feature is worth more than one without.
 */
export function coverageOf(
  history: History,
  struck: readonly { readonly component: string; readonly point: string; readonly fault: string }[],
  more: ReadonlySet<string>,
): ReadonlySet<string> {
  const features = new Set(more);
  for (const { component, point, fault } of struck) features.add(`${fault} at ${component} ${point}`);
  for (const entry of history.entries) {
    if (entry.type === 'change') addChange(entry, features);
    else if (entry.type === 'write' && entry.code >= 300)
      features.add(`${entry.component} ${entry.method} ${entry.code}`);
  }
  return features;
}

function addChange({ object, previous, isDeleted }: ChangeEntry, features: Set<string>): void {
  const { kind } = object;
  if (isDeleted || !previous) {
    features.add(`${kind} ${isDeleted ? 'deleted' : 'created'} ${stateOf(object)}`);
    return;
  }
  const [before, after] = [stateOf(previous), stateOf(object)];
  if (before !== after) features.add(`${kind} ${before} -> ${after}`);
}

function stateOf(object: KubeObject): string {
  const { status } = object as { status?: { phase?: string; conditions?: readonly Condition[] } };
  const conditions = Array.isArray(status?.conditions) ? (status.conditions as readonly Condition[]) : [];
  const states = conditions.map(({ type, status: value, reason = '' }) => `${type}=${value}/${reason}`).sort();
  const deleting = object.metadata.deletionTimestamp === undefined ? [] : ['deleting'];
  return [...(status?.phase === undefined ? [] : [status.phase]), ...states, ...deleting].join(',');
}
