import { startControlPlane } from '@tektite/testkit';
import { kinds } from '@tektite/client';
import type { Pod, Service } from '@tektite/schema/kubernetes';
import { expect, it } from 'vitest';
import { clientObjects } from '../object-source.ts';
import { environment } from './environment.ts';
import { serviceLinks } from './service-links.ts';

const service = (name: string, spec: Service['spec']): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  ...(spec ? { spec } : {}),
});

it('names the address and the ports of each Service', () => {
  const ports = [
    { name: 'http-main', port: 80, protocol: 'TCP' },
    { name: 'dns', port: 53, protocol: 'UDP' },
  ];
  const links = serviceLinks([
    service('my-web', { clusterIP: '10.0.0.9', ports }),
    service('headless', { clusterIP: 'None', ports }),
  ]);
  expect(Object.fromEntries(links)).toEqual({
    MY_WEB_SERVICE_HOST: '10.0.0.9',
    MY_WEB_SERVICE_PORT: '80',
    MY_WEB_SERVICE_PORT_HTTP_MAIN: '80',
    MY_WEB_SERVICE_PORT_DNS: '53',
    MY_WEB_PORT: 'tcp://10.0.0.9:80',
    MY_WEB_PORT_80_TCP: 'tcp://10.0.0.9:80',
    MY_WEB_PORT_80_TCP_PROTO: 'tcp',
    MY_WEB_PORT_80_TCP_PORT: '80',
    MY_WEB_PORT_80_TCP_ADDR: '10.0.0.9',
    MY_WEB_PORT_53_UDP: 'udp://10.0.0.9:53',
    MY_WEB_PORT_53_UDP_PROTO: 'udp',
    MY_WEB_PORT_53_UDP_PORT: '53',
    MY_WEB_PORT_53_UDP_ADDR: '10.0.0.9',
  });
});

it('is part of the environment of containers, unless their Pod does not want it', async () => {
  await using plane = await startControlPlane();
  await plane.client.create(kinds.Service, {
    metadata: { namespace: 'default', name: 'web' },
    spec: { ports: [{ port: 80 }] },
  });
  const api = new Map([['KUBERNETES_SERVICE_HOST', 'api']]);
  const context = {
    objects: clientObjects(plane.client),
    podIPs: [],
    hostIPs: [],
    allocatable: {},
    serviceVariables: api,
  } as unknown as Parameters<typeof environment>[2];
  const container = { name: 'c', env: [{ name: 'WEB_SERVICE_PORT', value: 'own' }] };
  const pod = (spec: object) =>
    ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name: 'p' }, spec }) as Pod;
  const linked = await environment(pod({}), container, context);
  expect(linked.get('WEB_SERVICE_HOST')).toMatch(/^10\./);
  expect(linked.get('WEB_SERVICE_PORT')).toBe('own');
  expect([...linked.keys()].filter((name) => name.startsWith('KUBERNETES_'))).toEqual(['KUBERNETES_SERVICE_HOST']);
  const alone = await environment(pod({ enableServiceLinks: false }), container, context);
  expect(Object.fromEntries(alone)).toEqual({ KUBERNETES_SERVICE_HOST: 'api', WEB_SERVICE_PORT: 'own' });
});
