import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { decideRequest } from './decide.ts';

const bootstrapper = {
  username: 'system:bootstrap:abcdef',
  groups: ['system:bootstrappers:byoh', 'system:bootstrappers:byoh:a'],
};
const self = { username: 'byoh:host:h1', groups: ['byoh:hosts', 'system:authenticated'] };
const good = {
  name: 'byoh-csr-h1',
  signerName: 'kubernetes.io/kube-apiserver-client',
  usages: ['client auth'],
  ...bootstrapper,
};
const subject = { commonName: 'byoh:host:h1', organizations: ['byoh:hosts'], dnsNames: [], addresses: [] };

function judge(
  change: Partial<typeof good> & { status?: object } = {},
  who: Partial<typeof subject> = {},
  registered: readonly string[] = [],
  homes: Readonly<Record<string, string>> = {},
) {
  const { name, status, ...spec } = { ...good, ...change };
  const request = {
    metadata: { name },
    spec: { request: '', ...spec },
    status,
  } as unknown as CertificateSigningRequest;
  return decideRequest(
    request,
    { ...subject, ...who },
    { isRegistered: (host) => registered.includes(host), homeOf: (host) => homes[host] },
  );
}

describe('a request for a certificate', () => {
  it('is approved for a new host with a token, and for a host that renews its own', () => {
    expect(judge()).toEqual({ type: 'approve', host: 'h1', claims: 'a' });
    expect(judge(self, {}, [], { h1: 'a' })).toEqual({ type: 'approve', host: 'h1' });
    // As registered with an earlier version, before its home is recorded.
    expect(judge({ ...self, name: 'byoh-csr-h1-0123456789' }, {}, ['h1'])).toEqual({ type: 'approve', host: 'h1' });
  });

  it('is approved again for a host of the same namespace that was deleted', () => {
    expect(judge({}, {}, [], { h1: 'a' })).toEqual({ type: 'approve', host: 'h1', claims: 'a' });
  });

  it('gives the host its home once it is approved, whether a person approved it or not', () => {
    const status = { conditions: [{ type: 'Approved' }] };
    expect(judge({ status })).toEqual({ type: 'admit', host: 'h1', claims: 'a' });
    expect(judge({ status }, {}, ['h1'], { h1: 'b' })).toEqual({ type: 'admit', host: 'h1', claims: 'a' });
    expect(judge({ status, ...self })).toEqual({ type: 'decided' });
    expect(judge({ status, groups: ['system:bootstrappers:byoh'] })).toEqual({ type: 'decided' });
    expect(judge({ status }, { organizations: ['system:masters'] })).toEqual({ type: 'decided' });
    expect(judge({ status: { conditions: [{ type: 'Denied' }] } })).toEqual({ type: 'decided' });
  });

  it.each<[string, Partial<typeof good>, Partial<typeof subject>?, string[]?, Record<string, string>?]>([
    ['for another signer', { signerName: 'kubernetes.io/kubelet-serving' }],
    ['for more usages', { usages: ['client auth', 'server auth'] }],
    ['for another usage', { usages: ['server auth'] }],
    ['for no usage', { usages: [] }],
    ['with another group', {}, { organizations: ['system:masters'] }],
    ['with one group more', {}, { organizations: ['byoh:hosts', 'system:masters'] }],
    ['without a group', {}, { organizations: [] }],
    ['with other names', {}, { dnsNames: ['kubernetes.default'] as never[] }],
    ['for no host', {}, { commonName: 'admin' }],
    ['for a host without a name', { name: 'byoh-csr-' }, { commonName: 'byoh:host:' }],
    ['for a name that no host can have', { name: 'byoh-csr-H1' }, { commonName: 'byoh:host:H1' }],
    [
      'for a name that is too long',
      { name: `byoh-csr-${'h'.repeat(250)}` },
      { commonName: `byoh:host:${'h'.repeat(250)}` },
    ],
    ['under the name of another host', { name: 'byoh-csr-h2' }],
    ['under a name that merely begins so', { name: 'byoh-csr-h1-not-a-hash' }],
    ['under any other name', { name: 'csr-h1' }],
    ['by another host', { username: 'byoh:host:h2', groups: ['byoh:hosts'] }],
    ['by a user that has the name of the host and not its group', { username: 'byoh:host:h1', groups: [] }],
    ['by another user', { username: 'jo', groups: ['system:authenticated'] }],
    ['with a token, for a host that is there already', {}, {}, ['h1']],
    ['with a token, for a name of another namespace', {}, {}, [], { h1: 'b' }],
    ['with a token, for a host that lost its rights', {}, {}, [], { h1: '' }],
    ['with a token of no namespace', { groups: ['system:bootstrappers:byoh'] }],
    ['with a token of a namespace that is none of ours', { groups: ['system:bootstrappers:byoh:a'] }],
    [
      'with a token of two namespaces',
      { groups: ['system:bootstrappers:byoh', 'system:bootstrappers:byoh:a', 'system:bootstrappers:byoh:b'] },
    ],
    ['by a host that lost its rights', self, {}, ['h1'], { h1: '' }],
    ['by a host that is not registered and has no namespace', self],
  ])('is left to people %s', (_, change, who = {}, registered = [], homes = {}) => {
    expect(judge(change, who, registered, homes).type).toBe('leave');
  });
});
