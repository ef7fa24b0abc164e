import { type ControlPlane, httpsTransport, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transportCases } from './transport.cases.ts';
import type { Transport } from './transport.ts';

const makers: Record<string, (plane: ControlPlane) => Promise<Transport>> = {
  'in process': (plane) => Promise.resolve(plane.transport()),
  'over HTTPS': httpsTransport,
};

describe.each(Object.entries(makers))('the transport %s', (_, make) => {
  let plane: ControlPlane;
  let transport: Transport;
  beforeAll(async () => {
    plane = await startControlPlane();
    transport = await make(plane);
  });
  afterAll(async () => {
    await transport.close();
    await plane.close();
  });
  transportCases(() => ({ transport, another: () => make(plane) }));
});

describe('the transport in process', () => {
  it('hands out the stored objects themselves, frozen', async () => {
    await using plane = await startControlPlane();
    const transport = plane.transport();
    const path = '/api/v1/namespaces/default';
    const first = (await transport.request({ method: 'GET', path })).body;
    const second = (await transport.request({ method: 'GET', path })).body;
    expect(second).toBe(first);
    expect(Object.isFrozen((first as { metadata: object }).metadata)).toBe(true);
  });

  it('cuts off a reader that lets events pile up', async () => {
    await using plane = await startControlPlane();
    const path = '/api/v1/namespaces/default/configmaps';
    const { client } = plane;
    const stream = await plane
      .transport()
      .watch({ method: 'GET', path, query: new URLSearchParams({ watch: 'true' }) });
    const name = 'busy';
    await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } });
    const patch = { method: 'PATCH', path: `${path}/${name}`, contentType: 'application/merge-patch+json' } as const;
    for (let i = 0; i <= 10_000; i++) await plane.transport().request({ ...patch, body: { data: { i: String(i) } } });
    let read = 0;
    const readAll = async () => {
      for await (const _ of stream) read++;
    };
    await expect(readAll()).rejects.toMatchObject({ code: 'CONNECTION_RESET' });
    expect(read).toBeGreaterThan(9_000);
  });
});
