import { parseMicroTime, instantToMilliseconds } from '@tektite/meta';
import type { Lease } from '@tektite/schema/kubernetes';
import type { ByoHost } from '../kinds/byo-host.ts';
import { withCondition } from '../kinds/cluster-condition.ts';
import { heartbeatCondition } from '../kinds/host-conditions.ts';
import { releaseHost } from './change-host.ts';

export interface HostSnapshot {
  readonly host: ByoHost;
  /** What the agent writes from time to time. Agents of upstream do not. */
  readonly heartbeat: Lease | undefined;
  /** Whether the machine that the host says it belongs to is gone. */
  readonly isOrphan: boolean;
  readonly now: number;
}

export interface HostDecision {
  readonly host: ByoHost;
  /** When a heartbeat that is not renewed by then becomes stale. */
  readonly againMs?: number;
}

/**
 * What the manager has to say of a host: whether its agent is alive, and that it is to be cleaned up when its machine is
 * gone. Hosts whose agent never had a heartbeat are left alone.
 */
export function decideHost({ host: given, heartbeat, isOrphan, now }: HostSnapshot): HostDecision {
  const host = isOrphan ? releaseHost(given) : given;
  const renewed = heartbeat?.spec?.renewTime;
  if (!renewed) return { host };
  const seconds = heartbeat.spec?.leaseDurationSeconds ?? 60;
  const staleAt = instantToMilliseconds(parseMicroTime(renewed)) + seconds * 1000;
  if (now < staleAt)
    return { host: mark(host, { type: heartbeatCondition, status: 'True' }, now), againMs: staleAt - now + 1000 };
  const message = `the agent has not told of itself since ${renewed.slice(0, 19)}Z; its last word was good for ${seconds} seconds`;
  return {
    host: mark(
      host,
      { type: heartbeatCondition, status: 'False', reason: 'HeartbeatStale', severity: 'Error', message },
      now,
    ),
  };
}

function mark(host: ByoHost, text: Parameters<typeof withCondition>[1], now: number): ByoHost {
  const before = host.status?.conditions;
  const conditions = withCondition(before, text, now);
  return conditions === before ? host : { ...host, status: { ...host.status, conditions } };
}
