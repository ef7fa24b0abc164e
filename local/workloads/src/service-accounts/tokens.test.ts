import { kinds } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { testCluster } from '../test-support.ts';

const key = { namespace: 'default', name: 'token' };

describe('a Secret that asks for a token', () => {
  it('gets one, and goes with its account', async () => {
    await using cluster = await testCluster({ rootCertificate: 'PEM' });
    const { client } = cluster;
    await client.create(kinds.ServiceAccount, { metadata: { namespace: 'default', name: 'robot' } });
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    await client.create(kinds.Secret, {
      metadata: { ...key, annotations },
      type: 'kubernetes.io/service-account-token',
    });
    // Signing takes real time.
    const read = async () => {
      await cluster.settle(100);
      return (await client.get(kinds.Secret, key)).data;
    };
    await expect.poll(read).toBeDefined();
    const data = await read();
    const decoded = (name: string) => Buffer.from(data?.[name] ?? '', 'base64').toString();
    expect(decoded('namespace')).toBe('default');
    expect(decoded('ca.crt')).toBe('PEM');
    const claims = JSON.parse(Buffer.from(decoded('token').split('.')[1] ?? '', 'base64url').toString()) as {
      sub: string;
    };
    expect(claims.sub).toBe('system:serviceaccount:default:robot');
    await client.delete(kinds.ServiceAccount, { namespace: 'default', name: 'robot' });
    await cluster.settle();
    expect((await client.list(kinds.Secret)).items).toEqual([]);
  });
});
