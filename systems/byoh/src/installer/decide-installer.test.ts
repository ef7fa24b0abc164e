import type { Secret } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import type { ByoMachine } from '../kinds/byo-machine.ts';
import type { Cluster } from '../kinds/cluster-api.ts';
import { type InstallerConfig, type InstallerSnapshot, installerGateOf, planSecret } from './decide-installer.ts';

const apiVersion = 'infrastructure.cluster.x-k8s.io/v1beta1';
const owner = { apiVersion, kind: 'ByoMachine', name: 'm1', uid: 'u1' };
const config = (more: object = {}, status?: object): InstallerConfig =>
  ({
    apiVersion,
    kind: 'K8sInstallerConfig',
    metadata: { name: 'm1', namespace: 'default', uid: 'c1', ownerReferences: [owner], ...more },
    ...(status ? { status } : {}),
  }) as InstallerConfig;
const machine = (condition: object | undefined, hostinfo: object = { osimage: 'Ubuntu 20.04.6 LTS' }): ByoMachine =>
  ({
    apiVersion,
    kind: 'ByoMachine',
    metadata: { name: 'm1', uid: 'u1' },
    status: { conditions: condition ? [{ type: 'BYOHostReady', lastTransitionTime: '', ...condition }] : [], hostinfo },
  }) as unknown as ByoMachine;
const gate = { status: 'False', reason: 'InstallationSecretNotAvailable' };
const cluster: Cluster = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', metadata: { name: 'c1' } };
const open: InstallerSnapshot = { config: config(), machine: machine(gate), cluster };

describe('an installer', () => {
  it.each<[string, Partial<InstallerSnapshot>, object]>([
    ['produces when the machine waits for it', {}, { type: 'open' }],
    [
      'lets go of a config that is being deleted',
      { config: config({ deletionTimestamp: 'now' }) },
      { type: 'wait', why: 'it is being deleted' },
    ],
    [
      'waits for an owner',
      { config: config({ ownerReferences: [] }), machine: undefined },
      { type: 'wait', why: 'no ByoMachine owns it' },
    ],
    [
      'does not take another kind for an owner',
      { config: config({ ownerReferences: [{ ...owner, apiVersion: 'v1' }] }) },
      { type: 'wait', why: 'no ByoMachine owns it' },
    ],
    ['waits while the owner does not exist', { machine: undefined }, { type: 'wait', why: 'no ByoMachine owns it' }],
    ['tries again when the Cluster cannot be found', { cluster: undefined }, { type: 'retry' }],
    [
      'requires the Cluster before anything else of the machine',
      { cluster: undefined, machine: machine(undefined) },
      { type: 'retry' },
    ],
    [
      'waits while the Cluster is paused',
      { cluster: { ...cluster, spec: { paused: true } } },
      { type: 'wait', why: 'it or its Cluster is paused' },
    ],
    [
      'waits while the config is paused',
      { config: config({ annotations: { 'cluster.x-k8s.io/paused': 'false' } }) },
      { type: 'wait', why: 'it or its Cluster is paused' },
    ],
    ...[
      'WaitingForClusterInfrastructure',
      'WaitingForBootstrapDataSecret',
      'BYOHostsUnavailable',
      'ClusterOrResourcePaused',
    ].map((reason): [string, Partial<InstallerSnapshot>, object] => [
      `waits at ${reason}`,
      { machine: machine({ status: 'False', reason }) },
      {
        type: 'wait',
        why: `BYOHostReady of the ByoMachine has the reason "${reason}", not InstallationSecretNotAvailable`,
      },
    ]),
    ['waits when the machine is ready', { machine: machine({ status: 'True' }) }, { type: 'wait' }],
    ['waits when the machine has not said anything', { machine: machine(undefined) }, { type: 'wait' }],
    ['does nothing when it is done', { config: config({}, { ready: true }) }, { type: 'wait', why: 'it is ready' }],
    [
      'does not take an unknown host for an unsupported one',
      { machine: machine(gate, {}) },
      { type: 'wait', why: 'nothing is known of the host yet' },
    ],
    [
      'tries again what failed before',
      { config: config({}, { ready: false, failureReason: 'UnsupportedOS' }) },
      { type: 'open' },
    ],
  ])('%s', (_, change, expected) => {
    expect(installerGateOf({ ...open, ...change })).toMatchObject(expected);
  });
});

describe('the Secret of an installer', () => {
  const secret = (name: string, uid: string | undefined, data: Record<string, string> = {}): [string, Secret] => [
    name,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, ...(uid ? { ownerReferences: [{ ...owner, uid }] } : {}) },
      data,
    } as Secret,
  ];
  const whole = { install: 'YQ==', uninstall: 'Yg==' };

  it.each<[string, [string, Secret][], string | undefined, object]>([
    ['is called like the config', [], 'm1-boot', { type: 'create', name: 'm1' }],
    ['is called otherwise when the bootstrap data has that name', [], 'm1', { type: 'create', name: 'm1-install' }],
    [
      'gets another name when the first is taken',
      [secret('m1', undefined)],
      undefined,
      { type: 'create', name: 'm1-install' },
    ],
    [
      'is called otherwise when an earlier config of that name has it',
      [secret('m1', 'old')],
      undefined,
      { type: 'create', name: 'm1-install' },
    ],
    ['is the one of an earlier run', [secret('m1', 'c1', whole)], undefined, { type: 'adopt', name: 'm1' }],
    [
      'is the one of an earlier run, also under the other name',
      [secret('m1', undefined), secret('m1-install', 'c1', whole)],
      undefined,
      { type: 'adopt', name: 'm1-install' },
    ],
    [
      'is filled in when a script is missing',
      [secret('m1', 'c1', { install: 'YQ==' })],
      undefined,
      { type: 'refill', name: 'm1' },
    ],
    [
      'is a conflict when both names are taken',
      [secret('m1', undefined), secret('m1-install', 'x')],
      undefined,
      { type: 'conflict' },
    ],
  ])('%s', (_, secrets, bootstrapSecretName, expected) => {
    expect(planSecret({ config: config(), bootstrapSecretName, secrets: new Map(secrets) })).toMatchObject(expected);
  });
});
