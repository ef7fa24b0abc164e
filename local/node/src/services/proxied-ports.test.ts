import type { EndpointSlice } from '@tektite/schema/kubernetes';
import { expect, it } from 'vitest';
import { readyEndpoints } from './proxied-ports.ts';

it('leaves out endpoints that no connection can be made to, which the API lets be written', () => {
  const slice = (port: number): EndpointSlice => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's' },
    addressType: 'IPv4',
    ports: [{ name: 'web', port }],
    endpoints: [{ addresses: ['192.0.2.1'] }],
  });
  const web = { service: 'default/web', address: '127.97.0.1', port: 80, name: 'web', protocol: 'TCP' } as const;
  const found = readyEndpoints([70_000, -1, 0, 8080, 65_535, 65_536].map(slice), web);
  expect(found.map(({ port }) => port)).toEqual([8080, 65_535]);
});

it('leaves out endpoints with names, which could lead to the machine itself', () => {
  const slice: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's' },
    addressType: 'FQDN',
    ports: [{ name: 'web', port: 80 }],
    endpoints: [{ addresses: ['localhost.example.com'] }],
  };
  const web = { service: 'default/web', address: '10.96.0.9', port: 80, name: 'web', protocol: 'TCP' } as const;
  expect(readyEndpoints([slice], web)).toEqual([]);
});
