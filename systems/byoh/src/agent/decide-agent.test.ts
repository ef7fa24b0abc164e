import { describe, expect, it } from 'vitest';
import type { ByoHost } from '../kinds/byo-host.ts';
import type { AgentState } from './agent-state.ts';
import { decideAgent } from './decide-agent.ts';

const lastTransitionTime = '2026-01-01T00:00:00Z';
const good = (type: string) => ({ type, status: 'True', lastTransitionTime });

/** A host with all that it needs, changed as a row wants it. */
function host(
  change: (draft: {
    metadata: Record<string, unknown>;
    spec: Record<string, unknown>;
    status: Record<string, unknown>;
  }) => void,
): ByoHost {
  const draft = {
    metadata: { name: 'h1', namespace: 'default' } as Record<string, unknown>,
    spec: { bootstrapSecret: { name: 'boot' }, installationSecret: { name: 'inst' } } as Record<string, unknown>,
    status: { machineRef: { name: 'm1', uid: 'u1' } } as Record<string, unknown>,
  };
  change(draft);
  return { apiVersion: 'v1', kind: 'ByoHost', ...draft } as ByoHost;
}

const cleanup = { 'byoh.infrastructure.cluster.x-k8s.io/unregistering': '' };
const marks = (type: string, reason: string) => ({
  type: 'mark',
  condition: { type, status: 'False', reason, severity: 'Info' },
});

describe('an agent', () => {
  it.each<[string, ByoHost, AgentState, boolean, object]>([
    [
      'rests while its host is paused, whatever else is wanted',
      host((h) => (h.metadata['annotations'] = { 'cluster.x-k8s.io/paused': '', ...cleanup })),
      {},
      false,
      { type: 'nothing' },
    ],
    ['cleans up before all else', host((h) => (h.metadata['annotations'] = cleanup)), {}, false, { type: 'cleanup' }],
    [
      'cleans up a host that is being deleted',
      host((h) => Object.assign(h.metadata, { annotations: cleanup, deletionTimestamp: lastTransitionTime })),
      {},
      false,
      { type: 'cleanup' },
    ],
    [
      'rests when its host is being deleted',
      host((h) => (h.metadata['deletionTimestamp'] = lastTransitionTime)),
      {},
      false,
      { type: 'nothing' },
    ],
    [
      'waits for a machine',
      host((h) => delete h.status['machineRef']),
      {},
      false,
      marks('K8sNodeBootstrapSucceeded', 'WaitingForMachineRefToBeAssigned'),
    ],
    [
      'waits for bootstrap data',
      host((h) => delete h.spec['bootstrapSecret']),
      {},
      false,
      marks('K8sNodeBootstrapSucceeded', 'BootstrapDataSecretUnavailable'),
    ],
    [
      'waits for scripts',
      host((h) => delete h.spec['installationSecret']),
      {},
      false,
      marks('K8sComponentsInstallationSucceeded', 'K8sInstallationSecretUnavailable'),
    ],
    [
      'needs no scripts when it skips the installation',
      host((h) => delete h.spec['installationSecret']),
      {},
      true,
      { type: 'work', installs: false },
    ],
    ['installs', host(() => undefined), {}, false, { type: 'work', installs: true }],
    [
      'installs again what was not finished',
      host(() => undefined),
      { machine: 'u1', install: 'started' },
      false,
      { type: 'work', installs: true },
    ],
    [
      'does not install twice for the same machine',
      host(() => undefined),
      { machine: 'u1', install: 'done' },
      false,
      { type: 'work', installs: false },
    ],
    [
      'installs for another machine, whatever was done for the last one',
      host(() => undefined),
      { machine: 'u0', install: 'done', bootstrap: 'done' },
      false,
      { type: 'work', installs: true },
    ],
    [
      'does not believe a condition that it has no memory of',
      host((h) => (h.status['conditions'] = [good('K8sComponentsInstallationSucceeded')])),
      {},
      false,
      { type: 'work', installs: true },
    ],
    [
      'reports what it did and could not report',
      host(() => undefined),
      { machine: 'u1', install: 'done', bootstrap: 'done' },
      false,
      { type: 'mark', condition: { type: 'K8sNodeBootstrapSucceeded', status: 'True' } },
    ],
    [
      'rests when its host is a node',
      host((h) => (h.status['conditions'] = [good('K8sNodeBootstrapSucceeded')])),
      { machine: 'u1', install: 'done', bootstrap: 'done' },
      false,
      { type: 'nothing' },
    ],
  ])('%s', (_, object, state, skips, expected) => {
    expect(decideAgent(object, state, skips)).toMatchObject(expected);
  });
});
