import { readFileSync } from 'node:fs';
import type { PodSpec } from '@tektite/schema/kubernetes';
import { expect, it } from 'vitest';
import { resolverFile } from './resolver-file.ts';

const dns = { address: '10.96.0.10', domain: 'cluster.local' };
const fileOf = (spec: Partial<PodSpec>, hasDns = true) =>
  resolverFile(
    { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'shop' }, spec: spec as PodSpec },
    hasDns ? dns : undefined,
  );
const machineSearches = /^search (.*)$/m.exec(readFileSync('/etc/resolv.conf', 'utf8'))?.[1];
const suffix = machineSearches ? ` ${machineSearches}` : '';
const searches = `search shop.svc.cluster.local svc.cluster.local cluster.local${suffix}`;

it('names the name server of the cluster, and where names are searched', () => {
  expect(fileOf({})).toBe(`nameserver 10.96.0.10\n${searches}\noptions ndots:5\n`);
  expect(fileOf({ dnsPolicy: 'ClusterFirst' })).toBe(fileOf({}));
});

it('leaves Pods in the network of the machine that of the machine', () => {
  expect(fileOf({ hostNetwork: true })).toBeUndefined();
  expect(fileOf({ hostNetwork: true, dnsPolicy: 'Default' })).toBeUndefined();
  expect(fileOf({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' })).toBeUndefined();
  expect(fileOf({}, false)).toBeUndefined();
});

it('searches no names of the cluster with the policy Default', () => {
  expect(fileOf({ dnsPolicy: 'Default' })).toMatch(/^nameserver 10\.96\.0\.10\n/);
  expect(fileOf({ dnsPolicy: 'Default' })).not.toContain('cluster.local');
});

it('adds what the Pod says, and takes only that with the policy None', () => {
  const dnsConfig = {
    nameservers: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
    searches: ['my.domain', 'cluster.local'],
    options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
  };
  const own = 'options ndots:2 edns0\n';
  expect(fileOf({ dnsConfig })).toBe(
    `nameserver 10.96.0.10\nnameserver 192.0.2.1\nnameserver 192.0.2.2\n${searches} my.domain\n${own}`,
  );
  const alone = 'nameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\nsearch my.domain cluster.local\n';
  for (const hasDns of [true, false]) expect(fileOf({ dnsPolicy: 'None', dnsConfig }, hasDns)).toBe(`${alone}${own}`);
});
