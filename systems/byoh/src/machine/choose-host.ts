import { labelSelectorOf, selectEverything } from '@tektite/meta';
import type { ByoHost } from '../kinds/byo-host.ts';
import type { ByoMachine } from '../kinds/byo-machine.ts';
import { conditionOf } from '../kinds/cluster-condition.ts';
import { heartbeatCondition } from '../kinds/host-conditions.ts';
import { isPausedObject } from '../lookups.ts';
import { cleanupAnnotation, clusterNameLabel, unschedulableLabel } from '../wire-names.ts';

export interface HostChoice {
  readonly host: ByoHost | undefined;
  /** Why each of the others is no choice: for people who wait. */
  readonly refused: ReadonlyMap<string, string>;
}

/** Why the machine's installer cannot serve a host, as far as that is known in advance. */
export type CannotServe = (host: ByoHost) => string | undefined;

/** The first host by name that a machine can have; the same for the same hosts, in whatever order they are given. */
export function chooseHost(
  machine: ByoMachine,
  hosts: Iterable<ByoHost>,
  cannotServe: CannotServe = () => undefined,
): HostChoice {
  const refused = new Map<string, string>();
  let best: ByoHost | undefined;
  for (const host of hosts) {
    const against = objection(machine, host) ?? cannotServe(host);
    if (against !== undefined) refused.set(nameOf(host), against);
    else if (!best || nameOf(host) < nameOf(best)) best = host;
  }
  return { host: best, refused };
}

function nameOf({ metadata }: ByoHost): string {
  return `${metadata.name}\u0000${metadata.namespace}`;
}

/** Why a machine cannot have a host; undefined when it can. */
function objection({ spec }: ByoMachine, { metadata, status }: ByoHost): string | undefined {
  const { labels = {}, annotations = {} } = metadata;
  if (Object.hasOwn(labels, clusterNameLabel)) return `it belongs to the cluster ${labels[clusterNameLabel]}`;
  if (status?.machineRef) return `it still has the machine ${status.machineRef.name}`;
  const selector = spec?.selector ? labelSelectorOf(spec.selector) : selectEverything;
  if (!selector.matches(labels)) return 'the selector does not match its labels';
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (isPausedObject({ metadata })) return 'it is paused';
  if (Object.hasOwn(annotations, cleanupAnnotation)) return 'it is being cleaned up';
  if (Object.hasOwn(labels, unschedulableLabel)) return 'it is marked as unschedulable';
  if (conditionOf(status?.conditions, heartbeatCondition)?.status === 'False') return 'its agent is silent';
  return undefined;
}

/** `2 hosts: the selector does not match its labels (a, b)`. */
export function describeRejections(refused: ReadonlyMap<string, string>): string {
  if (refused.size === 0) return 'no host is registered in this namespace';
  const byReason = new Map<string, string[]>();
  for (const [key, reason] of refused) {
    const [name = ''] = key.split('\u0000');
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  const parts = [...byReason].map(([reason, names]) => {
    const shown = names.toSorted().slice(0, 3).join(', ');
    return `${shown}${names.length > 3 ? ` and ${names.length - 3} more` : ''}: ${reason}`;
  });
  return parts.toSorted().join('; ');
}
