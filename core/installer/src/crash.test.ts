import { Client, keyOf, kinds, mergePatch, type Transport, type TransportRequest } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import type { InstallerDialect } from './dialect.ts';
import { connectorsDialect, tektonDialect } from './dialects/test-support.ts';
import { removeSet } from './remove-set.ts';
import { clusterRole, configMap, definition, deployment, job, makeReady, TestSet } from './test-support.ts';

class Crash extends Error {}

/** A connection on which the program dies at its nth request: before the server sees it, or before the program sees the answer. */
function dying(inner: Transport, at: number, when: 'before' | 'after'): { transport: Transport; count: () => number } {
  let count = 0;
  const request = async (sent: TransportRequest) => {
    const dies = ++count === at;
    if (count > at || (dies && when === 'before')) throw new Crash();
    const answer = await inner.request(sent);
    if (dies) throw new Crash();
    return answer;
  };
  return { transport: { ...inner, request, close: async () => {} }, count: () => count };
}

const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' } };
const before = [
  definition('widgets', 'Widget'),
  configMap('old'),
  configMap('both', { a: '1', dropped: 'x' }),
  clusterRole('reader'),
  deployment('web'),
  deployment('moved'),
  job('migrate'),
];
const after = [
  definition('widgets', 'Widget'),
  widget,
  configMap('both', { a: '2' }),
  configMap('new'),
  clusterRole('reader', ['get', 'list']),
  deployment('web', { image: 'web:2' }),
  deployment('moved', { app: 'elsewhere' }),
  job('migrate', 'db:2'),
];
const one = (dialect: InstallerDialect): InstallerDialect => ({ ...dialect, concurrency: 1 });
const dialects: readonly (readonly [string, InstallerDialect])[] = [
  ['tekton', { ...one(tektonDialect), prune: {} }],
  ['connectors', one(connectorsDialect)],
];

/** All that matters of the cluster, without what chance decides. */
async function stateOf({ client }: ControlPlane): Promise<unknown> {
  const state: unknown[] = [];
  const kindsOf = [
    ['v1', 'ConfigMap'],
    ['apps/v1', 'Deployment'],
    ['batch/v1', 'Job'],
    ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
    ['example.com/v1', 'Widget'],
    ['example.com/v1', 'Set'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ] as const;
  for (const [apiVersion, kind] of kindsOf) {
    const { items } = await client.list({ apiVersion, kind });
    for (const object of items.filter(({ metadata }) => !metadata.labels?.['kubernetes.io/bootstrapping']))
      state.push(plain(object));
  }
  return state;
}

function plain(object: DynamicObject): unknown {
  const { name, labels, annotations, managedFields = [], ownerReferences = [] } = object.metadata;
  const managers = managedFields
    .filter(({ subresource, operation }) => !subresource && operation === 'Apply')
    .map(({ manager, fieldsV1 }) => ({ manager, fieldsV1 }));
  const owners = ownerReferences.map(({ kind, name }) => `${kind} ${name}`);
  const { spec, data, rules, status } = object;
  const inventory = object.kind === 'Set' ? status : undefined;
  const text = JSON.stringify({
    kind: object.kind,
    name,
    labels,
    annotations,
    managers,
    owners,
    spec,
    data,
    rules,
    inventory,
  });
  // Uids are chance, and so are hashes over them.
  return JSON.parse(text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uid').replace(/[0-9a-f]{64}/g, 'hash'));
}

async function untilDone(set: TestSet, client: Client = set.client): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    const report = await set.run(client);
    if (report.failure?.cause === 'error') throw report.failure.error as Error;
    await collect(set);
    for (const { metadata } of (await set.client.list(kinds.Deployment)).items)
      await makeReady(set.client, metadata.name ?? '');
    for (const { metadata } of (await set.client.list(kinds.Job)).items)
      await completeJob(set.client, metadata.name ?? '');
    if (report.ready && report.result.type === 'done') return;
  }
  throw new Error(`it did not end: ${set.condition('Ready')}`);
}

/** As the garbage collector does: what is deleted in the foreground goes when nothing depends on it any more. */
async function collect({ client }: TestSet): Promise<void> {
  for (const kind of [
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { apiVersion: 'batch/v1', kind: 'Job' },
  ]) {
    const { items } = await client.list(kind);
    for (const object of items.filter(({ metadata }) => metadata.deletionTimestamp))
      await client.patch(kind, keyOf(object), mergePatch({ metadata: { finalizers: null } }));
  }
}

async function completeJob(client: Client, name: string): Promise<void> {
  const key = { namespace: 'default', name };
  const live = await client.get({ apiVersion: 'batch/v1', kind: 'Job' }, key);
  const time = '2026-01-01T00:00:00Z';
  const condition = (type: string) => ({ type, status: 'True', lastProbeTime: time, lastTransitionTime: time });
  const conditions = [condition('SuccessCriteriaMet'), condition('Complete')];
  await client.updateStatus(live, {
    ...live,
    status: { conditions, startTime: time, completionTime: time, succeeded: 1 },
  });
}

async function installed(plane: ControlPlane, dialect: InstallerDialect): Promise<TestSet> {
  const set = await TestSet.create(plane.client, dialect, 'set', before);
  await untilDone(set);
  set.objects = after;
  return set;
}

/** Runs `work` over and over, killed at each request in turn, until it is through. */
async function killEverywhere(
  prepare: (plane: ControlPlane) => Promise<TestSet>,
  work: (set: TestSet, client: Client) => Promise<void>,
): Promise<number> {
  const expected = await (async () => {
    await using plane = await startControlPlane();
    const set = await prepare(plane);
    await work(set, plane.client);
    return await stateOf(plane);
  })();
  let requests = Number.POSITIVE_INFINITY;
  for (let at = 1; at <= requests; at++) {
    for (const when of ['before', 'after'] as const) {
      await using plane = await startControlPlane();
      const set = await prepare(plane);
      const { transport, count } = dying(plane.transport(), at, when);
      const client = new Client(transport, { clock: plane.clock, random: plane.random });
      const died = await work(set, client).then(
        () => false,
        () => true,
      );
      if (!died) requests = Math.min(requests, count());
      await work(set, plane.client);
      expect(await stateOf(plane), `killed ${when} request ${at}`).toEqual(expected);
    }
  }
  return requests;
}

describe.each(dialects)('an operator that is killed between any two requests, and run again (%s)', (_name, dialect) => {
  it('installs as if it had not been killed', async () => {
    const fresh = (plane: ControlPlane) => TestSet.create(plane.client, dialect, 'set', before);
    expect(await killEverywhere(fresh, untilDone)).toBeGreaterThan(20);
  }, 120_000);

  it('upgrades as if it had not been killed: nothing is there twice, nothing is left over', async () => {
    expect(await killEverywhere((plane) => installed(plane, dialect), untilDone)).toBeGreaterThan(30);
  }, 120_000);

  it('removes all it made as if it had not been killed', async () => {
    const remove = async (set: TestSet, client: Client) => {
      const { status } = await client.get(set.self, keyOf(set.self));
      const { inventory = [] } = (status ?? {}) as Pick<TestSet, 'inventory'>;
      for (let turn = 0; turn < 5; turn++) {
        const report = await removeSet(client, { self: set.self, objects: set.objects, inventory }, dialect);
        if (report.result.type === 'error') throw report.result.error;
        if (report.done) return;
        await collect(set);
      }
      throw new Error('it did not end');
    };
    expect(await killEverywhere((plane) => installed(plane, dialect), remove)).toBeGreaterThan(10);
  }, 120_000);
});
