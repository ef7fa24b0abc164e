import { formatMicroTime } from '@tektite/meta';
import type { Lease } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import type { ByoHost } from '../../kinds/byo-host.ts';
import { decideHost } from './decide.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const host = { apiVersion: 'v1', kind: 'ByoHost', metadata: { name: 'h1' } } as ByoHost;
const beat = (secondsAgo: number): Lease => ({
  apiVersion: 'v1',
  kind: 'Lease',
  metadata: {},
  spec: { renewTime: formatMicroTime(now - secondsAgo * 1000), leaseDurationSeconds: 60 },
});

describe('a host', () => {
  it('is alive while its agent says so, and silent afterwards', () => {
    const alive = decideHost({ host, heartbeat: beat(10), isOrphan: false, now });
    expect(alive.host.status?.conditions?.[0]).toMatchObject({ type: 'HostAgentAlive', status: 'True' });
    expect(alive.againMs).toBe(51_000);
    const silent = decideHost({ host: alive.host, heartbeat: beat(61), isOrphan: false, now });
    expect(silent.host.status?.conditions?.[0]).toMatchObject({
      status: 'False',
      reason: 'HeartbeatStale',
      severity: 'Error',
    });
    expect(decideHost({ host: silent.host, heartbeat: beat(61), isOrphan: false, now }).host).toBe(silent.host);
    expect(
      decideHost({ host: silent.host, heartbeat: beat(0), isOrphan: false, now }).host.status?.conditions?.[0]?.status,
    ).toBe('True');
  });

  it('without a heartbeat is left alone: agents of others have none', () => {
    expect(decideHost({ host, heartbeat: undefined, isOrphan: false, now })).toEqual({ host });
  });

  it('is cleaned up after its machine is deleted', () => {
    const { host: orphan } = decideHost({ host, heartbeat: undefined, isOrphan: true, now });
    expect(orphan.metadata.annotations).toEqual({ 'byoh.infrastructure.cluster.x-k8s.io/unregistering': '' });
    expect(decideHost({ host: orphan, heartbeat: undefined, isOrphan: true, now }).host).toBe(orphan);
  });
});
