import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { judgeRequest } from './csr-policy.ts';

const bootstrapper = { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers:byoh'] };
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
) {
  const { name, status, ...spec } = { ...good, ...change };
  const request = {
    metadata: { name },
    spec: { request: '', ...spec },
    status,
  } as unknown as CertificateSigningRequest;
  return judgeRequest(request, { ...subject, ...who }, (host) => registered.includes(host)).type;
}

describe('a request for a certificate', () => {
  it('is approved for a new host with a token, and for a host that renews its own', () => {
    expect(judge()).toBe('approve');
    expect(judge(self)).toBe('approve');
    expect(judge({ ...self, name: 'byoh-csr-h1-0123456789' }, {}, ['h1'])).toBe('approve');
  });

  it.each<[string, Partial<typeof good> & { status?: object }, Partial<typeof subject>?, string[]?]>([
    ['when it is decided', { status: { conditions: [{ type: 'Denied' }] } }],
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
    ['under the name of another host', { name: 'byoh-csr-h2' }],
    ['under a name that merely begins so', { name: 'byoh-csr-h1-not-a-hash' }],
    ['under any other name', { name: 'csr-h1' }],
    ['by another host', { username: 'byoh:host:h2', groups: ['byoh:hosts'] }],
    ['by somebody who calls himself like the host', { username: 'byoh:host:h1', groups: [] }],
    ['by anybody else', { username: 'jo', groups: ['system:authenticated'] }],
    ['with a token, for a host that is there already', {}, {}, ['h1']],
  ])('is left to people %s', (_, change, who = {}, registered = []) => {
    expect(judge(change, who, registered)).toBe('leave');
  });
});
