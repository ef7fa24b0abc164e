import { X509Certificate } from 'node:crypto';
import { createAuthority, signRequest } from '@tektite/certificates';
import { kinds } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { testCluster } from '../test-support.ts';
import type { SigningRequest } from './csr-controller.ts';
import { ownsNames, recognise, signingStep } from './csr-policy.ts';

/** A request for CN=ada, as openssl made it. */
const pem = `-----BEGIN CERTIFICATE REQUEST-----
MIHJMHACAQAwDjEMMAoGA1UEAwwDYWRhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAE+hAbM9Fop8JodQZOVx4ZP+7O2wmZx2hIblDgJqVrNCTl52RotzzNK8890LFN
92tC8Qu/rG/V9WaU5VXMKqNqP6AAMAoGCCqGSM49BAMCA0kAMEYCIQCJZuTexFzf
jFdyLn+d2hM7kzpEQfZRssIVaBbTKRRp7QIhAPH56yRPbO8oT1y0/DANIvrqf4mA
CmdxlCu22VfUeyPw
-----END CERTIFICATE REQUEST-----
`;
const usages = ['client auth'];
const spec = { request: '', signerName: 'kubernetes.io/kube-apiserver-client', usages };
const request = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'ada' },
  spec,
};
const kubelet = 'kubernetes.io/kube-apiserver-client-kubelet';
const person = { commonName: 'ada', organizations: [], dnsNames: [], addresses: [] };
const approved = { status: { conditions: [{ type: 'Approved', status: 'True' }] } };

describe('a certificate request', () => {
  it.each([
    ['no approval', request, 'rest'],
    ['was approved', { ...request, ...approved }, 'sign'],
    ['is of another signer', { ...request, spec: { ...spec, signerName: 'example.com/own' }, ...approved }, 'rest'],
    [
      'asks for more than its signer gives',
      { ...request, spec: { ...spec, usages: ['server auth'] }, ...approved },
      'fail',
    ],
    [
      'is of a person who wants to be a node',
      { ...request, spec: { ...spec, signerName: kubelet }, ...approved },
      'fail',
    ],
    ['is signed', { ...request, status: { ...approved.status, certificate: 'x' } }, 'rest'],
    [
      'was denied',
      { ...request, status: { conditions: [...approved.status.conditions, { type: 'Denied', status: 'True' }] } },
      'rest',
    ],
  ])('that %s', (_title, given, expected) => {
    expect(signingStep(given, person).type).toBe(expected);
  });

  const clientOf = (username: string) => ({
    ...spec,
    signerName: kubelet,
    usages: ['client auth', 'digital signature'],
    username,
    groups: ['system:nodes'],
  });
  const node = { ...person, commonName: 'system:node:a', organizations: ['system:nodes'] };
  const subresourceFor = (username: string, subject: typeof node) => {
    const approval = recognise({ ...request, spec: clientOf(username) }, subject);
    return approval?.by === 'review' ? approval.subresource : approval;
  };

  it.each([
    ['of a node for itself is a renewal', 'system:node:a', node, 'selfnodeclient'],
    ['of a bootstrap token for a node joins it', 'system:bootstrap:abcdef', node, 'nodeclient'],
    ['of a node that wants more groups', 'system:node:a', { ...node, organizations: ['a', 'system:nodes'] }, undefined],
    ['of a node that wants names', 'system:node:a', { ...node, dnsNames: ['example.com'] as never[] }, undefined],
  ])('%s: %s', (_title, username, subject, expected) => {
    expect(subresourceFor(username, subject as typeof node)).toBe(expected);
  });

  it('of a node for a serving certificate needs the addresses of its own status', () => {
    const serving = {
      ...clientOf('system:node:a'),
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['server auth', 'digital signature'],
    };
    const subject = { ...node, dnsNames: ['a'], addresses: ['10.0.0.1'] };
    expect(recognise({ ...request, spec: serving }, subject)).toEqual({ by: 'addresses', node: 'a' });
    expect(recognise({ ...request, spec: { ...serving, username: 'system:node:b' } }, subject)).toBeUndefined();
    expect(recognise({ ...request, spec: { ...serving, groups: [] } }, subject)).toBeUndefined();
    const machine = (name: string, ...addresses: string[]) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      status: { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) },
    });
    expect(ownsNames('a', subject, [machine('a', '10.0.0.1'), machine('b', '10.0.0.2')])).toBe(true);
    expect(ownsNames('a', subject, [machine('a'), machine('b')])).toBe(false);
    expect(ownsNames('a', subject, [machine('a', '10.0.0.1'), machine('b', '10.0.0.1')])).toBe(false);
    expect(ownsNames('a', { ...subject, dnsNames: ['b'] }, [machine('a', '10.0.0.1', 'b'), machine('b')])).toBe(false);
    expect(ownsNames('a', { ...subject, addresses: ['127.0.0.1'] }, [machine('a', '127.0.0.1')])).toBe(false);
  });

  it('is approved by the hook, signed by the other, and says when that fails', async () => {
    const asked: SigningRequest[] = [];
    const certificates = {
      approve: () => true,
      sign: async (given: SigningRequest) => {
        asked.push(given);
        throw new Error('the key is lost');
      },
    };
    await using cluster = await testCluster({ certificates });
    const { client } = cluster;
    const encoded = Buffer.from(pem).toString('base64');
    await client.create(kinds.CertificateSigningRequest, {
      metadata: { name: 'ada' },
      spec: { ...spec, request: encoded, expirationSeconds: 600 },
    });
    await cluster.settle();
    expect(asked).toEqual([{ request: pem, signerName: spec.signerName, usages, expirationSeconds: 600 }]);
    const { status } = await client.get(kinds.CertificateSigningRequest, { name: 'ada' });
    expect(status?.conditions?.map(({ type, message }) => [type, message])).toEqual([
      ['Approved', 'The request was approved by policy.'],
      ['Failed', 'the key is lost'],
    ]);
  });

  it('that a person approves gets a certificate of the authority', async () => {
    const authority = await createAuthority('test', systemClock);
    const sign = ({ request: given, usages: asked }: SigningRequest) =>
      signRequest(authority, given, { clock: systemClock, usages: asked, validForMs: 3_600_000 });
    await using cluster = await testCluster({ certificates: { sign } });
    const { client } = cluster;
    const name = 'ada';
    const encoded = Buffer.from(pem).toString('base64');
    const made = await client.create(kinds.CertificateSigningRequest, {
      metadata: { name },
      spec: { ...spec, request: encoded },
    });
    await cluster.settle();
    expect((await client.get(kinds.CertificateSigningRequest, { name })).status).not.toHaveProperty('certificate');
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Person', message: 'I know her' }];
    await client.update(
      kinds.CertificateSigningRequest,
      { ...made, status: { conditions } },
      { subresource: 'approval' },
    );
    // Signing takes real time.
    const read = async () => {
      await cluster.settle(100);
      return (await client.get(kinds.CertificateSigningRequest, { name })).status?.certificate;
    };
    await expect.poll(read).toBeDefined();
    const certificate = new X509Certificate(Buffer.from((await read()) ?? '', 'base64'));
    expect(certificate.subject).toBe('CN=ada');
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  });
});
