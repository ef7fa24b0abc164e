import { createHmac } from 'node:crypto';
import { kinds, mergePatch } from '@tektite/client';
import { formatTime, isStatusError } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { testCluster } from '../test-support.ts';
import { readBootstrapToken } from './bootstrap-token.ts';
import { detachedSignature } from './cluster-info-signatures.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function tokenSecret(id: string, more: Record<string, string> = {}) {
  const fields = { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...more };
  return {
    metadata: { namespace: 'kube-system', name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    data: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, base64(value)])),
  };
}

const info = {
  metadata: { namespace: 'kube-public', name: 'cluster-info' },
  data: { kubeconfig: 'apiVersion: v1\nkind: Config\n' },
};

describe('bootstrap tokens', () => {
  it('sign cluster-info as long as they exist', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const signatures = async () => {
      await cluster.settle();
      const { data = {} } = await client.get(kinds.ConfigMap, info.metadata);
      return Object.keys(data).filter((key) => key !== 'kubeconfig');
    };
    await client.create(kinds.ConfigMap, info);
    expect(await signatures()).toEqual([]);
    await client.create(kinds.Secret, tokenSecret('aaaaaa'));
    await client.create(kinds.Secret, tokenSecret('bbbbbb'));
    await client.create(kinds.Secret, tokenSecret('cccccc', { 'usage-bootstrap-signing': 'false' }));
    expect(await signatures()).toEqual(['jws-kubeconfig-aaaaaa', 'jws-kubeconfig-bbbbbb']);
    await client.delete(kinds.Secret, tokenSecret('aaaaaa').metadata);
    expect(await signatures()).toEqual(['jws-kubeconfig-bbbbbb']);
    await client.patch(kinds.ConfigMap, info.metadata, mergePatch({ data: { kubeconfig: 'changed' } }));
    await signatures();
    const { data = {} } = await client.get(kinds.ConfigMap, info.metadata);
    const token = { id: 'bbbbbb', secret: '0123456789abcdef' };
    expect(data['jws-kubeconfig-bbbbbb']).toBe(detachedSignature('changed', token));
  });

  it('are deleted when they expire, and their signatures with them', async () => {
    await using cluster = await testCluster();
    const { client, clock } = cluster;
    await client.create(kinds.ConfigMap, info);
    const expiration = formatTime(clock.now() + 60_000);
    const secret = tokenSecret('aaaaaa', { expiration });
    await client.create(kinds.Secret, secret);
    await cluster.settle();
    expect((await client.get(kinds.ConfigMap, info.metadata)).data).toHaveProperty('jws-kubeconfig-aaaaaa');
    await cluster.settle(60_000);
    const found = await client.get(kinds.Secret, secret.metadata).catch((error: unknown) => error);
    expect(isStatusError(found, 'NotFound')).toBe(true);
    expect((await client.get(kinds.ConfigMap, info.metadata)).data).toEqual(info.data);
  });

  it('sign with a detached JSON Web Signature whose header names the token', () => {
    const signature = detachedSignature('content', { id: 'abcdef', secret: '0123456789abcdef' });
    const [header = '', payload, mac] = signature.split('.');
    expect(Buffer.from(header, 'base64url').toString()).toBe('{"alg":"HS256","kid":"abcdef"}');
    expect(payload).toBe('');
    const signed = `${header}.${Buffer.from('content').toString('base64url')}`;
    expect(mac).toBe(createHmac('sha256', '0123456789abcdef').update(signed).digest('base64url'));
  });

  it.each([
    ['another type', { ...tokenSecret('aaaaaa'), type: 'Opaque' }],
    ['the name of another', { ...tokenSecret('aaaaaa'), metadata: { name: 'bootstrap-token-bbbbbb' } }],
    ['a bad secret', tokenSecret('aaaaaa', { 'token-secret': 'short' })],
  ])('are not Secrets with %s', (_title, secret) => {
    expect(readBootstrapToken({ apiVersion: 'v1', kind: 'Secret', ...secret })).toBeUndefined();
  });
});
