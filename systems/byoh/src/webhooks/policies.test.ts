import type { ReviewUser } from '@tektite/controller/webhook';
import { describe, expect, it } from 'vitest';
import type { BootstrapKubeconfig } from '../kinds/bootstrap-kubeconfig.ts';
import type { ByoCluster } from '../kinds/byo-cluster.ts';
import type { ByoHost } from '../kinds/byo-host.ts';
import { validateBootstrapKubeconfig } from '../rules/bootstrap-kubeconfig-policy.ts';
import { objectionToEndpoint } from '../rules/endpoint-policy.ts';
import { type HostWrite, objectionToWrite } from '../rules/host-policy.ts';

const host = (name: string, more: object = {}): ByoHost =>
  ({ apiVersion: 'v1', kind: 'ByoHost', metadata: { name, namespace: 'default' }, ...more }) as ByoHost;
const agent = (name: string): ReviewUser => ({ username: `byoh:host:${name}`, groups: ['byoh:hosts'] });
const admin: ReviewUser = { username: 'system:admin', groups: ['system:masters'] };
const policy = { managers: ['manager'], adminGroups: ['ops'] };
const update: HostWrite = {
  operation: 'UPDATE',
  subresource: '',
  user: agent('a'),
  old: host('a'),
  host: host('a'),
  home: 'default',
};
const elsewhere = 'a in the namespace default, which is not its own';
const machineLabel = 'byoh.infrastructure.cluster.x-k8s.io/byomachine-name';

describe('a write to a host', () => {
  it.each<[string, Partial<HostWrite>, string | undefined]>([
    ['by its own agent', {}, undefined],
    ['by its own agent, which registers it', { operation: 'CREATE', old: undefined }, undefined],
    [
      'by the agent of a host whose name begins the same',
      { host: host('ab'), old: host('ab') },
      'byoh:host:a cannot create/update resource ab',
    ],
    [
      'by an agent that registers another host',
      { operation: 'CREATE', old: undefined, host: host('b') },
      'byoh:host:a cannot create/update resource b',
    ],
    [
      'by the manager',
      { user: { username: 'manager' }, host: host('a', { spec: { bootstrapSecret: { name: 'x' } } }) },
      undefined,
    ],
    ['by a user with a short name', { user: { username: 'jo' } }, 'jo is not a valid agent username'],
    [
      'by a user with two parts, for whom the original panics',
      { user: { username: 'system:jo' } },
      'system:jo cannot create/update resource a',
    ],
    [
      'by an administrator, to labels',
      { user: admin, host: host('a', { metadata: { name: 'a', labels: { x: 'y' } } }) },
      undefined,
    ],
    [
      'by a member of another group that may',
      { user: { username: 'jo', groups: ['ops'] }, host: host('a', { metadata: { name: 'a', labels: { x: 'y' } } }) },
      undefined,
    ],
    [
      'by an administrator, to the spec',
      { user: admin, host: host('a', { spec: { uninstallationScript: 'x' } }) },
      'system:admin cannot create/update resource a',
    ],
    [
      'by an administrator, who registers it',
      { user: admin, operation: 'CREATE', old: undefined },
      'system:admin cannot create/update resource a',
    ],
    [
      'by its agent, which takes a Secret',
      { host: host('a', { spec: { installationSecret: { name: 'x' } } }) },
      'byoh:host:a cannot set spec.installationSecret of a',
    ],
    [
      'by its agent, which exchanges a Secret',
      {
        old: host('a', { spec: { bootstrapSecret: { name: 'x' } } }),
        host: host('a', { spec: { bootstrapSecret: { name: 'y' } } }),
      },
      'byoh:host:a cannot set spec.bootstrapSecret of a',
    ],
    [
      'by its agent, which gives a Secret back',
      { old: host('a', { spec: { bootstrapSecret: { name: 'x' } } }) },
      undefined,
    ],
    ['by its agent, to the status', { subresource: 'status' }, undefined],
    [
      'by another agent, to the status',
      { subresource: 'status', user: agent('b') },
      'byoh:host:b cannot create/update resource a',
    ],
    [
      'by its agent, which takes a machine',
      { subresource: 'status', host: host('a', { status: { machineRef: { name: 'm' } } }) },
      'byoh:host:a cannot set status.machineRef of a',
    ],
    [
      'by another agent, which deletes it',
      { operation: 'DELETE', user: agent('b') },
      'byoh:host:b cannot delete resource a',
    ],
    ['by its own agent, which deletes it', { operation: 'DELETE' }, undefined],
    ['by its agent, in another namespace', { home: 'b' }, `byoh:host:a cannot create/update resource ${elsewhere}`],
    [
      'by its agent, which registers in another namespace',
      { operation: 'CREATE', old: undefined, home: 'b' },
      `byoh:host:a cannot create/update resource ${elsewhere}`,
    ],
    [
      'by its agent, which registers without a namespace',
      { operation: 'CREATE', old: undefined, home: undefined },
      `byoh:host:a cannot create/update resource ${elsewhere}`,
    ],
    ['by its agent, before the home of an older host is recorded', { home: undefined }, undefined],
    [
      'by its agent, which lost its rights',
      { home: '', subresource: 'status' },
      `byoh:host:a cannot create/update resource ${elsewhere}`,
    ],
    [
      'by its agent, which deletes it in another namespace',
      { operation: 'DELETE', home: 'b' },
      `byoh:host:a cannot delete resource ${elsewhere}`,
    ],
    [
      'by its agent, which enters a machine by its label',
      { host: host('a', { metadata: { name: 'a', namespace: 'default', labels: { [machineLabel]: 'b.m1' } } }) },
      `byoh:host:a cannot set label ${machineLabel} of a`,
    ],
    [
      'by its agent, which gives its machine back',
      { old: host('a', { metadata: { name: 'a', namespace: 'default', labels: { [machineLabel]: 'default.m1' } } }) },
      undefined,
    ],
    ['by another user, who deletes it', { operation: 'DELETE', user: { username: 'jo' } }, undefined],
  ])('%s', (_, change, expected) => {
    expect(objectionToWrite({ ...update, ...change }, policy)).toBe(expected);
  });
});

describe('a bootstrap kubeconfig', () => {
  const pem = Buffer.from('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n').toString('base64');
  it.each([
    ['https://abc.com:1234', pem, undefined],
    ['https://[::1]:6443', pem, undefined],
    ['', pem, 'spec.apiserver: Invalid value: "": APIServer field cannot be empty'],
    ['https://abc com:1', pem, 'APIServer URL is not valid'],
    ['http://abc.com:1234', pem, 'APIServer is not of the format https://hostname:port'],
    ['https://abc.com', pem, 'APIServer is not of the format https://hostname:port'],
    ['https://abc.com:1', '', 'spec.caData: Invalid value: "": CertificateAuthorityData field cannot be empty'],
    ['https://abc.com:1', '%%%', 'cannot base64 decode CertificateAuthorityData'],
    ['https://abc.com:1', 'QUJD', 'CertificateAuthorityData is not PEM encoded'],
  ])('with %s and %s: %s', (apiserver, authority, expected) => {
    const error = validateBootstrapKubeconfig({
      spec: { apiserver, 'certificate-authority-data': authority },
    } as BootstrapKubeconfig);
    const text = error && `${error.field}: ${error.message}`;
    if (expected === undefined) expect(text).toBeUndefined();
    else expect(text).toContain(expected);
  });
});

describe('a change of the endpoint of a ByoCluster', () => {
  const cluster = (host?: string, port?: number): ByoCluster =>
    ({
      apiVersion: 'v1',
      kind: 'ByoCluster',
      metadata: { name: 'c' },
      spec: host === undefined ? {} : { controlPlaneEndpoint: { host, port } },
    }) as ByoCluster;
  const message = 'spec.controlPlaneEndpoint: field is immutable once it has a host (10.0.0.1:6443)';
  it.each<[string, ByoCluster, ByoCluster | undefined, string | undefined]>([
    ['that is made with one', cluster('10.0.0.1', 6443), undefined, undefined],
    ['that had none', cluster('10.0.0.1', 6443), cluster(), undefined],
    ['that had an empty one', cluster('10.0.0.1', 6443), cluster('', 0), undefined],
    ['whose port is filled in', cluster('10.0.0.1', 6443), cluster('10.0.0.1', 0), undefined],
    ['to itself', cluster('10.0.0.1', 6443), cluster('10.0.0.1', 6443), undefined],
    ['to another host', cluster('10.0.0.2', 6443), cluster('10.0.0.1', 6443), message],
    ['to another port', cluster('10.0.0.1', 443), cluster('10.0.0.1', 6443), message],
    ['to none', cluster(), cluster('10.0.0.1', 6443), message],
  ])('%s', (_title, now, old, expected) => {
    expect(objectionToEndpoint(now, old)).toBe(expected);
  });
});
