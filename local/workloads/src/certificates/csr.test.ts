import { kinds } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { testCluster } from '../test-support.ts';
import type { SigningRequest } from './csr-controller.ts';
import { isSelfApproved, signingStep } from './csr-policy.ts';

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
const approved = { status: { conditions: [{ type: 'Approved', status: 'True' }] } };

describe('a certificate request', () => {
  it.each([
    ['nobody has approved', request, 'rest'],
    ['was approved', { ...request, ...approved }, 'sign'],
    [
      'was approved for another signer',
      { ...request, spec: { ...spec, signerName: 'example.com/own' }, ...approved },
      'rest',
    ],
    [
      'asks for more than its signer gives',
      { ...request, spec: { ...spec, usages: ['server auth'] }, ...approved },
      'fail',
    ],
    ['is signed', { ...request, status: { ...approved.status, certificate: 'x' } }, 'rest'],
    [
      'was denied',
      { ...request, status: { conditions: [...approved.status.conditions, { type: 'Denied', status: 'True' }] } },
      'rest',
    ],
  ])('that %s', (_title, given, expected) => {
    expect(signingStep(given).type).toBe(expected);
  });

  it('of a node for itself needs no approval', () => {
    const own = {
      ...spec,
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      username: 'system:node:a',
      groups: ['system:nodes'],
    };
    expect(isSelfApproved({ ...request, spec: own })).toBe(true);
    expect(isSelfApproved({ ...request, spec: { ...own, groups: [] } })).toBe(false);
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
});
