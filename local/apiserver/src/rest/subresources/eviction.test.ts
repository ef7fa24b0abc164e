import { describe, expect, it } from 'vitest';
import { TestServer } from '../../test-support.ts';

const pods = '/api/v1/namespaces/default/pods';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const merge = { headers: { 'content-type': 'application/merge-patch+json' } };
const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };

async function start(ready: boolean, ...statuses: readonly object[]): Promise<TestServer> {
  const server = await TestServer.start({ disabledAdmissionPlugins: ['ServiceAccount'] });
  const metadata = { name: 'p', labels: { app: 'a' } };
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  await server.ok('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  await server.ok('PATCH', `${pods}/p/status`, JSON.stringify({ status: { phase: 'Running', conditions } }), merge);
  for (const [index, status] of statuses.entries()) {
    const name = `b${index}`;
    const budget = { minAvailable: 1, selector: { matchLabels: { app: 'a' } } };
    await server.ok('POST', budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: budget,
    });
    await server.ok('PATCH', `${budgets}/${name}/status`, JSON.stringify({ status }), merge);
  }
  return server;
}

const counts = { observedGeneration: 1, expectedPods: 1, desiredHealthy: 1 };

describe('an eviction', () => {
  it('takes one disruption from the budget and says on the Pod why it goes', async () => {
    await using server = await start(true, { ...counts, currentHealthy: 2, disruptionsAllowed: 1 });
    expect((await server.send('POST', `${pods}/p/eviction`, eviction)).code).toBe(201);
    const { status } = await server.ok('GET', `${budgets}/b0`);
    expect(status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False' }],
    });
    expect(Object.keys(status?.disruptedPods as object)).toEqual(['p']);
    const pod = await server.ok('GET', `${pods}/p`);
    expect(pod.metadata.deletionTimestamp).toBeDefined();
    expect(pod.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }),
    );
  });

  it.each<[string, boolean, object[], number, string]>([
    [
      'none is left',
      true,
      [{ ...counts, currentHealthy: 1, disruptionsAllowed: 0 }],
      429,
      'The disruption budget b0 needs 1 healthy pods and has 1 currently',
    ],
    [
      'nobody has looked at the budget yet',
      true,
      [{ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 1 }],
      429,
      'The disruption budget b0 is still being processed by the server.',
    ],
  ])('is refused when %s', async (_, ready, statuses, code, cause) => {
    await using server = await start(ready, ...statuses);
    const answer = await server.send('POST', `${pods}/p/eviction`, eviction);
    expect(answer.code).toBe(code);
    expect(answer.object.details?.causes?.[0]?.message).toBe(cause);
  });

  it('is refused when two budgets cover the Pod', async () => {
    await using server = await start(true, counts, counts);
    const { code, object } = await server.send('POST', `${pods}/p/eviction`, eviction);
    expect(code).toBe(500);
    expect(object.message).toMatch(/more than one PodDisruptionBudget/);
  });

  it('of an unhealthy Pod passes while enough others are healthy', async () => {
    await using server = await start(false, { ...counts, currentHealthy: 1, disruptionsAllowed: 0 });
    expect((await server.send('POST', `${pods}/p/eviction`, eviction)).code).toBe(201);
  });

  it('must name its Pod', async () => {
    await using server = await start(true);
    const { object } = await server.send('POST', `${pods}/p/eviction`, { ...eviction, metadata: {} });
    expect(object.message).toBe('name in URL does not match name in Eviction object');
  });
});
