import { describe, expect, it } from 'vitest';
import type { ByoCluster } from '../../kinds/byo-cluster.ts';
import type { ByoMachine } from '../../kinds/byo-machine.ts';
import type { Cluster } from '../../kinds/cluster-api.ts';
import { clusterFinalizer } from '../../wire-names.ts';
import { decideCluster } from './decide.ts';

const owned = { ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', name: 'c1', uid: 'u' }] };
const deleted = { ...owned, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['other', clusterFinalizer] };

const byoCluster = (metadata: object = owned, spec: object = {}) =>
  ({ kind: 'ByoCluster', metadata: { name: 'b1', namespace: 'default', ...metadata }, spec }) as ByoCluster;
const cluster = (spec: object = {}) => ({ kind: 'Cluster', metadata: { name: 'c1' }, spec }) as Cluster;
const machine = (name: string) =>
  ({
    apiVersion: 'v1',
    kind: 'ByoMachine',
    metadata: { name: 'm1', labels: { 'cluster.x-k8s.io/cluster-name': name } },
  }) as ByoMachine;

describe('a ByoCluster that is not deleted', () => {
  it('waits for its owner', () => {
    const plan = decideCluster({ byoCluster: byoCluster({}), cluster: undefined, machines: [] });
    expect(plan).toEqual({ type: 'nothing' });
  });

  it('is retried while its Cluster cannot be found', () => {
    const plan = decideCluster({ byoCluster: byoCluster(), cluster: undefined, machines: [] });
    expect(plan).toEqual({ type: 'retry', error: 'Cluster c1 cannot be found' });
  });

  it('is left alone while its Cluster is paused', () => {
    const plan = decideCluster({ byoCluster: byoCluster(), cluster: cluster({ paused: true }), machines: [] });
    expect(plan).toEqual({ type: 'nothing' });
  });

  it('gets its finalizer, the default port and ready', () => {
    const endpoint = { controlPlaneEndpoint: { host: '10.0.0.1', port: 0 } };
    const plan = decideCluster({ byoCluster: byoCluster(owned, endpoint), cluster: cluster(), machines: [] });
    expect(plan).toMatchObject({
      type: 'write',
      next: {
        metadata: { finalizers: [clusterFinalizer] },
        spec: { controlPlaneEndpoint: { host: '10.0.0.1', port: 6443 } },
        status: { ready: true },
      },
    });
  });
});

describe('a deleted ByoCluster', () => {
  it('waits for the last machine of its Cluster', () => {
    const seen = { byoCluster: byoCluster(deleted), cluster: cluster() };
    expect(decideCluster({ ...seen, machines: [machine('c1')] })).toEqual({ type: 'wait', requeueMs: 10_000 });
    expect(decideCluster({ ...seen, machines: [machine('c2')] }).type).toBe('write');
  });

  it('loses its own finalizer and no other, also without an owner', () => {
    const { ownerReferences: _, ...orphaned } = deleted;
    for (const metadata of [deleted, orphaned]) {
      const plan = decideCluster({ byoCluster: byoCluster(metadata), cluster: undefined, machines: [] });
      expect(plan).toMatchObject({ type: 'write', next: { metadata: { finalizers: ['other'] } } });
    }
  });
});
