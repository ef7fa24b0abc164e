import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { kinds } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyRef, VerificationPolicyObject } from '../kinds/verification-policy.ts';
import { checksumOf } from './checksum.ts';
import { matchingPolicies } from './matching-policies.ts';
import { signObject, verifyObject } from './sign-object.ts';
import { verifyRemote } from './verify-remote.ts';

const metadata = { labels: { label: 'foo' }, annotations: { foo: 'bar' }, uid: 'abc' };
const step = { image: 'ubuntu', name: 'echo' };
const object = (apiVersion: string, kind: string, spec: object): KubeObject =>
  ({
    apiVersion,
    kind,
    metadata: { ...metadata, name: kind.toLowerCase(), namespace: `${kind.toLowerCase()}-ns` },
    spec,
  }) as KubeObject;
const task = object('tekton.dev/v1', 'Task', { steps: [step] });

describe('what is signed', () => {
  it.each([
    [task, '64834bae53428435fe0a63876fb1627201fb953eaa11a54f6263593c16157aeb'],
    [
      object('tekton.dev/v1beta1', 'Task', { steps: [step] }),
      '70118b9defcbdfc1f4b003976d259a2eed1f4d1c969beaf89250434f4bcbe48d',
    ],
    [object('tekton.dev/v1', 'Pipeline', {}), '7d9d19354c07856290f2c249254148eb15e658c5d8835efc7f65e52283148d78'],
  ])('is the same as upstream signs', (signed, checksum) => {
    expect(checksumOf(signed).toString('hex')).toBe(checksum);
  });

  it('has its fields in the order that Go prints them in', () => {
    const containers = {
      sidecars: [
        { script: '<', imagePullPolicy: 'Always', name: 's', ports: [{ containerPort: 1 }], image: 'i', tty: true },
      ],
      steps: [step],
      params: [{ default: { b: '1', a: '2' }, name: 'p', type: 'object' }],
    };
    const bare = { ...object('tekton.dev/v1', 'Task', containers), metadata: { name: 't' } };
    const json =
      '{"kind":"Task","apiVersion":"tekton.dev/v1","metadata":{"name":"t"},"spec":{"params":[{"name":"p","type":"object","default":{"a":"2","b":"1"}}],' +
      '"steps":[{"name":"echo","image":"ubuntu","computeResources":{}}],' +
      '"sidecars":[{"name":"s","image":"i","ports":[{"containerPort":1}],"computeResources":{},"imagePullPolicy":"Always","tty":true,"script":"\\u003c"}]}}';
    expect(checksumOf(bare)).toEqual(createHash('sha256').update(json).digest());
  });

  it('does not depend on what kubectl leaves, nor on the order of keys', () => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      foo: 'bar',
      'tekton.dev/signature': 'x',
    };
    const other = { ...task, metadata: { ...task.metadata, annotations, resourceVersion: '7' } };
    expect(checksumOf(other)).toEqual(checksumOf(task));
    const labelled = (labels: Record<string, string>) =>
      checksumOf({ ...task, metadata: { ...task.metadata, labels } });
    expect(labelled({ 9: 'a', 10: 'b' })).toEqual(labelled({ 10: 'b', 9: 'a' }));
  });
});

const pem = (key: KeyObject) =>
  key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' }).toString();
const pairs = {
  ecdsa: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ed25519: generateKeyPairSync('ed25519'),
};
const other = pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);

describe.each(Object.entries(pairs))('a key of type %s', (_type, { privateKey, publicKey }) => {
  it('signs and verifies', () => {
    const signed = signObject(task, pem(privateKey));
    expect(verifyObject(signed, pem(publicKey))).toBe(true);
    expect(verifyObject(signed, other)).toBe(false);
    const changed = { ...signed, spec: { steps: [{ ...step, image: 'evil' }] } } as KubeObject;
    expect(verifyObject(changed, pem(publicKey))).toBe(false);
    expect(verifyObject(task, pem(publicKey))).toBe(false);
  });
});

it('a key can be encrypted, and the hash be another', () => {
  const { privateKey, publicKey } = pairs.ecdsa;
  const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' } as const;
  const encrypted = privateKey.export(options).toString();
  const signed = signObject(task, encrypted, { passphrase: 'p', hashAlgorithm: 'SHA512' });
  expect(verifyObject(signed, pem(publicKey), { hashAlgorithm: 'sha512' })).toBe(true);
  expect(verifyObject(signed, pem(publicKey))).toBe(false);
  expect(() => signObject(task, encrypted, { passphrase: 'x' })).toThrow('the private key cannot be read');
});

function policy(key: KeyRef, mode?: string, pattern = 'https://good.example/.*'): VerificationPolicyObject {
  const spec = { resources: [{ pattern }], authorities: [{ name: 'a', key }], ...(mode ? { mode } : {}) };
  return { apiVersion: 'tekton.dev/v1alpha1', kind: 'VerificationPolicy', metadata: { name: 'p' }, spec };
}

it.each([
  ['https://good.example/repo.git', 'git+https://good.example/repo.git', true],
  ['https://good.example/.*', 'https://good.example/x', true],
  ['good', 'https://good.example/x', false],
  ['https://good.example/.*', 'https://evil.example/https://good.example/', false],
  ['^https://good.example/', 'https://good.example/x', false],
  ['a|b', 'xb', false],
  ['^a|b$', 'ax', true],
])('the pattern %s matches %s: %s', (pattern, uri, isMatched) => {
  expect(matchingPolicies(uri, [policy({}, undefined, pattern)])).toHaveLength(isMatched ? 1 : 0);
});

describe('something from elsewhere', () => {
  let plane: ControlPlane;
  const { privateKey, publicKey } = pairs.ecdsa;
  const signed = signObject(task, pem(privateKey));
  const good = { data: pem(publicKey) };
  const bad = { data: other };

  beforeAll(async () => {
    plane = await startControlPlane();
    const create = (name: string, stringData: Record<string, string>) =>
      plane.client.create(kinds.Secret, { metadata: { namespace: 'default', name }, stringData });
    await create('key', { 'cosign.pub': pem(publicKey) });
    await create('two', { a: 'x', b: 'y' });
  });
  afterAll(() => plane.close());

  const verify = (
    given: KubeObject,
    policies: VerificationPolicyObject[],
    noMatchPolicy: 'ignore' | 'warn' | 'fail' = 'fail',
    uri = 'git+https://good.example/x',
  ) =>
    verifyRemote(
      given,
      uri,
      { policies, noMatchPolicy },
      { client: plane.client, signal: new AbortController().signal },
    );

  const unsigned = 'resource verification failed: resource task in namespace task-ns fails verification';
  const secret = (name: string) => ({ secretRef: { namespace: 'default', name } });

  it.each<[string, KubeObject, VerificationPolicyObject[], object]>([
    ['that is signed passes', signed, [policy(good)], { outcome: 'passed' }],
    ['that is signed passes with a key from a Secret', signed, [policy(secret('key'))], { outcome: 'passed' }],
    ['that is not signed fails', task, [policy(good)], { outcome: 'failed', message: unsigned }],
    ['with a foreign signature fails', signed, [policy(bad)], { outcome: 'failed', message: unsigned }],
    ['has to please all policies', signed, [policy(good), policy(bad)], { outcome: 'failed', message: unsigned }],
    [
      'is only warned of, if the policy says so',
      task,
      [policy(good, 'warn')],
      { outcome: 'warned', message: unsigned },
    ],
    [
      'fails without its key',
      signed,
      [policy(secret('none'))],
      {
        outcome: 'failed',
        message:
          'failed to get verifiers from policy: failed to get verifier from secret: failed to get secret: secret not found: secrets "none" not found',
      },
    ],
    [
      'fails with a choice of keys',
      signed,
      [policy(secret('two'))],
      {
        outcome: 'failed',
        message:
          'failed to get verifiers from policy: failed to get verifier from secret: secret "k8s://default/two" contains multiple data entries, only one is supported. secret contains multiple data',
      },
    ],
    [
      'fails with a key that is none',
      signed,
      [policy({ data: 'x' })],
      {
        outcome: 'failed',
        message:
          'failed to get verifiers from policy: failed to get verifier from data: key cannot be decoded: PEM decoding failed',
      },
    ],
    [
      'fails with a key that is kept elsewhere',
      signed,
      [policy({ kms: 'gcpkms://x' })],
      {
        outcome: 'failed',
        message:
          'failed to get verifiers from policy: failed to get verifier from kms: key management services are not supported; put the public key of gcpkms://x into data or a Secret',
      },
    ],
  ])('%s', async (_title, given, policies, result) => {
    expect(await verify(given, policies)).toEqual(result);
  });

  it('that no policy is about is judged by the settings', async () => {
    const message =
      'failed to get matched policies: no policies are matched: no matching policies are found for resource: task against source: other';
    expect(await verify(task, [policy(good)], 'ignore', 'other')).toEqual({ outcome: 'skipped' });
    expect(await verify(task, [policy(good)], 'warn', 'other')).toEqual({ outcome: 'warned', message });
    expect(await verify(task, [policy(good)], 'fail', 'other')).toEqual({ outcome: 'failed', message });
  });
});
