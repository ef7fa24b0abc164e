import { startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { type Behaviour, failure, json, startFaultServer } from '../transport/fault-server.cases.ts';
import { httpTransport } from '../transport/http-transport.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { Discovery } from './discovery.ts';

/** Counts what is asked, and can pretend that the server does not aggregate. */
function observed(inner: Transport, options: { legacy?: boolean } = {}): Transport & { paths: string[] } {
  const paths: string[] = [];
  return {
    paths,
    request(request: TransportRequest) {
      paths.push(request.path);
      return inner.request(options.legacy ? { ...request, accept: 'application/json' } : request);
    },
    watch: (request) => inner.watch(request),
    stream: (request) => inner.stream(request),
    close: () => inner.close(),
  };
}

const crontab = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.stable.example.com' },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', shortNames: ['ct'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
        subresources: { status: {} },
      },
    ],
  },
};

describe('discovery', () => {
  it('gives the same in both forms', async () => {
    await using plane = await startControlPlane();
    await plane.client.create(crontab);
    await expect.poll(() => plane.client.discovery.lookup('ct').catch(() => undefined)).toBeDefined();
    const aggregated = await new Discovery(plane.transport(), plane.clock).all();
    const legacy = await new Discovery(observed(plane.transport(), { legacy: true }), plane.clock).all();
    expect(legacy).toEqual(aggregated);
    expect(aggregated.resources.length).toBeGreaterThan(60);
  });

  it('asks once for all that follows', async () => {
    await using plane = await startControlPlane();
    const transport = observed(plane.transport());
    const discovery = new Discovery(transport, plane.clock);
    await Promise.all([
      discovery.find({ apiVersion: 'v1', kind: 'Pod' }),
      discovery.find({ apiVersion: 'apps/v1', kind: 'Deployment' }),
    ]);
    await discovery.lookup('po');
    expect(transport.paths).toEqual(['/api', '/apis']);
  });

  it.each([
    ['pods', 'Pod', 'v1'],
    ['Pod', 'Pod', 'v1'],
    ['po', 'Pod', 'v1'],
    ['deploy', 'Deployment', 'v1'],
    ['deployments.apps', 'Deployment', 'v1'],
    ['deployments.v1.apps', 'Deployment', 'v1'],
    ['pods.v1', 'Pod', 'v1'],
    ['hpa', 'HorizontalPodAutoscaler', 'v2'],
    ['hpa.v1.autoscaling', 'HorizontalPodAutoscaler', 'v1'],
    ['events', 'Event', 'v1'],
    ['CustomResourceDefinitions', 'CustomResourceDefinition', 'v1'],
  ])('knows what a user means by %s', async (text, kind, version) => {
    await using plane = await startControlPlane();
    expect(await plane.client.discovery.lookup(text)).toMatchObject({ kind, version });
  });

  it('prefers the core group where names are the same', async () => {
    await using plane = await startControlPlane();
    expect(await plane.client.discovery.lookup('events')).toMatchObject({ group: '' });
    expect(await plane.client.discovery.lookup('events.events.k8s.io')).toMatchObject({ group: 'events.k8s.io' });
  });

  it('refreshes for an unknown kind, but not without limit', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane();
    const transport = observed(plane.transport());
    const discovery = new Discovery(transport, clock);
    await discovery.all();
    for (let i = 0; i < 50; i++)
      await expect(discovery.find({ apiVersion: 'v1', kind: 'Nonsense' })).rejects.toMatchObject({
        code: 'UNKNOWN_KIND',
        message: expect.stringContaining('Nonsense in version v1'),
      });
    expect(transport.paths.length).toBe(2 * 11);
    await clock.advance(5_000);
    await discovery.lookup('nonsense').catch(() => {});
    expect(transport.paths.length).toBe(2 * 12);
  });

  it('leaves out a group whose server is down, and says so', async () => {
    const behave: Behaviour = ({ url }, response) => {
      if (url === '/api') return json(response, 200, { kind: 'APIVersions', versions: ['v1'] });
      if (url === '/apis')
        return json(response, 200, {
          kind: 'APIGroupList',
          groups: [
            { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }], preferredVersion: { version: 'v1beta1' } },
          ],
        });
      if (url === '/api/v1')
        return json(response, 200, {
          kind: 'APIResourceList',
          resources: [{ name: 'pods', kind: 'Pod', namespaced: true }],
        });
      return failure(response, 503);
    };
    await using server = await startFaultServer(behave);
    const transport = httpTransport(server.config);
    const discovery = new Discovery(transport, virtualClock());
    expect(await discovery.find({ apiVersion: 'v1', kind: 'Pod' })).toMatchObject({ plural: 'pods' });
    await expect(discovery.find({ apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics' })).rejects.toThrow(
      'the server that serves metrics.k8s.io/v1beta1 does not answer',
    );
    await transport.close();
  });

  it('tries again after a failure', async () => {
    await using server = await startFaultServer((_, response, attempt) =>
      attempt <= 2 ? failure(response, 500) : json(response, 200, { kind: 'APIGroupDiscoveryList', items: [] }),
    );
    const transport = httpTransport(server.config);
    const discovery = new Discovery(transport, virtualClock());
    await expect(discovery.all()).rejects.toMatchObject({ code: 500 });
    expect(await discovery.all()).toEqual({ resources: [], unavailable: [] });
    await transport.close();
  });
});
