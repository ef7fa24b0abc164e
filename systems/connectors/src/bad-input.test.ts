import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { kinds, mergePatch } from '@tektite/client';
import type { RunningSystems } from '@tektite/controller';
import type { DynamicObject } from '@tektite/meta';
import { type ControlPlane, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { startSimulatedCluster } from '@tektite/testkit/cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connector } from './kinds/connector.ts';
import { memoryPayloads } from './payload/memory-payloads.ts';
import {
  clusterRole,
  conditionOf,
  configMap,
  connector,
  deployment,
  eventually,
  patchSpec,
  readConnector,
  readManifests,
  startOperator,
  untilReason,
} from './test-support.ts';

/** A condition names the error, and foreign objects are not touched. */
describe('bad input', { timeout: 60_000 }, () => {
  let clock: VirtualClock;
  let plane: ControlPlane;
  let running: RunningSystems;
  let server: Server;
  let base = '';
  const answers: Record<string, (response: ServerResponse) => void> = {
    '/gone': (response) => void response.writeHead(404).end(),
    '/html': (response) => void response.end('<html>hello</html>'),
    '/role': (response) => void response.end(JSON.stringify(clusterRole('admin'))),
    '/elsewhere': (response) =>
      void response.end(
        JSON.stringify({ ...configMap('stolen'), metadata: { name: 'stolen', namespace: 'kube-system' } }),
      ),
    '/map': (response) => void response.end(JSON.stringify({ ...configMap('more'), metadata: { name: 'more' } })),
  };
  const payloads = memoryPayloads({
    shop: { objects: [configMap('settings'), deployment('web')] },
    broken: { objects: [deployment('web', { image: 'no image' })] },
    ports: { objects: [withPort(deployment('web'), 70_000)] },
    foreign: { objects: [deployment('theirs')] },
    invalid: { objects: [{ ...configMap('a'), metadata: { name: 'Not_A_Name' } }] },
    alien: { objects: [{ apiVersion: 'no.example.com/v1', kind: 'What', metadata: { name: 'w' } }] },
  });

  beforeAll(async () => {
    server = createServer((request, response) => answers[request.url ?? '']?.(response));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    clock = virtualClock();
    plane = await startSimulatedCluster({ clock });
    const allowed = { allowInsecureManifests: true, allowPrivateManifests: true };
    running = await clock.until(startOperator(plane, { payloads, version: 'v1', workers: 4, ...allowed }));
  });
  afterAll(async () => {
    await clock.until(running.stop());
    await plane.close();
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });

  it.each<[name: string, given: Readonly<Record<string, unknown>>, reason: string, message: RegExp]>([
    ['gone', { additionalManifests: '/gone' }, 'FetchFailed', /^GET http:.*\/gone: 404$/],
    ['html', { additionalManifests: '/html' }, 'ParseFailed', /no Kubernetes object/],
    ['role', { additionalManifests: '/role' }, 'ForbiddenAdditionalObject', /^ClusterRole\/admin not allowed/],
    ['else', { additionalManifests: '/elsewhere' }, 'ForbiddenAdditionalObject', /^ConfigMap\/stolen not allowed/],
    [
      'pin',
      { additionalManifests: '/map', additionalManifestsSHA256: 'a'.repeat(64) },
      'DigestMismatch',
      /sha256 is [0-9a-f]{64} want a{64}$/,
    ],
    ['name', { workloads: [{ name: 'api', replicas: 1 }] }, 'WorkloadNotFound', /^workloads\[0\] "api"/],
    [
      'image',
      { component: 'broken', registry: 'r.example.com' },
      'InvalidImage',
      /^Deployment default\/web: "no image"/,
    ],
    [
      'invalid',
      { component: 'invalid' },
      'NamespaceScopedInstallFailed',
      /ConfigMap default\/Not_A_Name: .*is invalid/,
    ],
    ['alien', { component: 'alien' }, 'NamespaceScopedInstallFailed', /What default\/w: /],
    ['ports', { component: 'ports' }, 'DeploymentInstallFailed', /Deployment default\/web: .*containerPort/],
  ])('is named: %s', async (name, given, reason, message) => {
    const { additionalManifests: list } = given;
    const spec = { component: 'shop', ...given, ...(list ? { additionalManifests: `${base}${String(list)}` } : {}) };
    await clock.until(plane.client.create(Connector, connector(name, spec)));
    const found = await untilReason(clock, plane.client, name, reason);
    expect(conditionOf(found)?.message).toMatch(message);
    const stolen = plane.client.get(kinds.ConfigMap, { namespace: 'kube-system', name: 'stolen' });
    await expect(clock.until(stolen)).rejects.toThrow('not found');
    await clock.until(plane.client.delete(Connector, { namespace: 'default', name }));
    await eventually(
      clock,
      () => plane.client.list(Connector),
      ({ items }) => items.length === 0,
    );
  });

  it('as a workload of another owner is named in the condition and in an Event', async () => {
    const { client } = plane;
    await clock.until(client.create({ ...deployment('theirs'), metadata: { namespace: 'default', name: 'theirs' } }));
    await clock.until(client.create(Connector, connector('foreign', { component: 'foreign' })));
    const found = await untilReason(clock, client, 'foreign', 'OwnershipConflict');
    expect(conditionOf(found)?.message).toMatch(/Deployment default\/theirs exists and is not managed by/);
    const events = await eventually(
      clock,
      async () => (await client.list(kinds.Event)).items.filter(({ reason }) => reason === 'OwnershipConflict'),
      (list) => list.some(({ involvedObject }) => involvedObject.kind === 'InstallManifest'),
    );
    expect(events[0]).toMatchObject({ type: 'Warning', message: expect.stringMatching(/Deployment default\/theirs/) });
    await clock.until(client.delete(Connector, { namespace: 'default', name: 'foreign' }));
    await clock.until(client.delete(kinds.Deployment, { namespace: 'default', name: 'theirs' }));
    await eventually(
      clock,
      () => client.list(Connector),
      ({ items }) => items.length === 0,
    );
  });

  it('that is corrected is forgotten', async () => {
    const spec = { component: 'shop', additionalManifests: `${base}/gone` };
    await clock.until(plane.client.create(Connector, connector('late', spec)));
    await untilReason(clock, plane.client, 'late', 'FetchFailed');
    await clock.until(patchSpec(plane.client, 'late', { additionalManifests: `${base}/map` }));
    await untilReason(clock, plane.client, 'late', 'Ready');
    const more = await plane.client.get(kinds.ConfigMap, { namespace: 'default', name: 'more' });
    expect(more.metadata.labels).toMatchObject({ 'cpaas.io/connector-name': 'late' });
    await clock.until(plane.client.delete(Connector, { namespace: 'default', name: 'late' }));
    await eventually(
      clock,
      () => plane.client.list(Connector),
      ({ items }) => items.length === 0,
    );
  });

  it('as a namespace that is being deleted has nothing made in it', async () => {
    const finalizers = ['example.com/wait'];
    await clock.until(plane.client.create(kinds.Namespace, { metadata: { name: 'going' } }));
    const held = { ...configMap('held'), metadata: { name: 'held', namespace: 'going', finalizers } };
    await clock.until(plane.client.create(held));
    await clock.until(
      plane.client.create(Connector, {
        ...connector('shop', {}, 'going'),
        metadata: { namespace: 'going', name: 'shop', finalizers },
      } as Connector),
    );
    await untilReason(clock, plane.client, 'shop', 'Ready', 'going');
    await clock.until(plane.client.delete(kinds.Namespace, { name: 'going' }));
    // It goes with its namespace, as far as others let it.
    await eventually(
      clock,
      async () => (await readManifests(plane.client)).length,
      (count) => count === 0,
    );
    const found = await readConnector(plane.client, 'shop', 'going');
    expect(conditionOf(found)).toMatchObject({ status: 'False', reason: 'Deleting' });
    for (const [kind, name] of [
      [Connector, 'shop'],
      [kinds.ConfigMap, 'held'],
    ] as const)
      await clock.until(
        plane.client.patch(
          kind as typeof Connector,
          { namespace: 'going', name },
          mergePatch({ metadata: { finalizers: null } }),
        ),
      );
  });
});

/** The Deployment with a port of its container. */
function withPort(object: DynamicObject, containerPort: number): DynamicObject {
  const copy = structuredClone(object) as DynamicObject & { spec: { template: { spec: { containers: object[] } } } };
  Object.assign(copy.spec.template.spec.containers[0] ?? {}, { ports: [{ containerPort }] });
  return copy;
}

it('nothing is installed into a namespace that is being deleted, and the Connector says so', async () => {
  const clock = virtualClock();
  // No controller deletes what is in the namespace, so it stays as it is.
  await using plane = await startControlPlane({ clock });
  const payloads = memoryPayloads({ map: { objects: [configMap('one')] } });
  const running = await clock.until(startOperator(plane, { payloads, version: 'v1.0.0' }));
  try {
    await clock.until(plane.client.create(kinds.Namespace, { metadata: { name: 'going' } }));
    await clock.until(plane.client.create(Connector, connector('app', { component: 'map' }, 'going')));
    await untilReason(clock, plane.client, 'app', 'Ready', 'going');
    await clock.until(plane.client.delete(kinds.Namespace, { name: 'going' }));
    await clock.until(patchSpec(plane.client, 'app', { labels: { new: 'yes' } }, 'going'));
    const found = await untilReason(clock, plane.client, 'app', 'NamespaceTerminating', 'going');
    expect(conditionOf(found)?.message).toContain('namespace going is being deleted');
  } finally {
    await clock.until(running.stop());
  }
});
