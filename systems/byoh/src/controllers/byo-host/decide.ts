import { parseMicroTime, instantToMilliseconds } from '@tektite/meta';
import type { Lease } from '@tektite/schema/kubernetes';
import type { ByoHost } from '../../kinds/byo-host.ts';
import { withCondition } from '../../kinds/cluster-condition.ts';
import { heartbeatCondition } from '../../kinds/host-conditions.ts';
import { releaseHost } from '../../host/change-host.ts';
import { homeName } from '../../host/host-home.ts';

export interface HostSnapshot {
  readonly host: ByoHost;
  /** The heartbeat of the agent. Agents of upstream have none. */
  readonly heartbeat: Lease | undefined;
  /** Whether the machine of the host is deleted. */
  readonly isOrphan: boolean;
  readonly now: number;
}

export interface HostDecision {
  readonly host: ByoHost;
  /** When a heartbeat that is not renewed by then becomes stale. */
  readonly againMs?: number;
}

/**
 * Decides the manager's part of a host: whether its agent is alive, and its cleanup when its machine is deleted. Hosts
 * whose agent never had a heartbeat are left alone.
 */
export function decideHost({ host: given, heartbeat, isOrphan, now }: HostSnapshot): HostDecision {
  const host = isOrphan ? releaseHost(given) : given;
  const renewed = heartbeat?.spec?.renewTime;
  if (!renewed) return { host };
  const seconds = heartbeat.spec?.leaseDurationSeconds ?? 60;
  const staleAt = instantToMilliseconds(parseMicroTime(renewed)) + seconds * 1000;
  if (now < staleAt)
    return { host: mark(host, { type: heartbeatCondition, status: 'True' }, now), againMs: staleAt - now + 1000 };
  const message = `the agent has sent no heartbeat since ${renewed.slice(0, 19)}Z; its lease lasts ${seconds} seconds`;
  return {
    host: mark(
      host,
      { type: heartbeatCondition, status: 'False', reason: 'HeartbeatStale', severity: 'Error', message },
      now,
    ),
  };
}

/**
 * The home of a host that registered with an earlier version: where it is. Under that version a host could enter other
 * namespaces later, so the oldest ByoHost of the name counts.
 */
export function firstNamespace(same: readonly ByoHost[], host: ByoHost): string {
  const age = ({ metadata }: ByoHost) => `${metadata.creationTimestamp} ${metadata.namespace}`;
  const [first = host] = same.toSorted((a, b) => age(a).localeCompare(age(b)));
  return first.metadata.namespace ?? '';
}

/** The Event of a ByoHost in a namespace that is not its home. `home` is empty for a host without rights. */
export function notAtHomeEvent(name: string, home: string) {
  const message = home ? `the host ${name} belongs to another namespace` : `the host ${name} has no rights`;
  return {
    type: 'Warning',
    reason: 'NotAtHome',
    message: `${message}; see the ConfigMap ${homeName(name)}`,
  } as const;
}

function mark(host: ByoHost, text: Parameters<typeof withCondition>[1], now: number): ByoHost {
  const before = host.status?.conditions;
  const conditions = withCondition(before, text, now);
  return conditions === before ? host : { ...host, status: { ...host.status, conditions } };
}
