import { kinds } from '@tektite/client';
import { seededRandom } from '@tektite/meta';
import { faultyTransport, startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { configMap, definition, deployment, manifestOf, widget } from '../test-support.ts';
import { applyManifest, attemptApply } from './apply-manifest.ts';

const set = { name: 'app', namespace: 'default' };

describe('an apply over a bad connection', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('comes to its end when it is run often enough (seed %i)', async (seed) => {
    await using plane = await startControlPlane({ seed });
    await applyManifest(plane.client, manifestOf(configMap('old'), configMap('both')), { set });
    const transport = faultyTransport(plane.transport(), {
      clock: plane.clock,
      random: seededRandom(seed),
      rates: { refuse: 0.05, lose: 0.05, conflict: 0.05, fail: 0.02 },
    });
    const client = plane.clientFor(transport);
    const wanted = manifestOf(definition(), widget('w'), configMap('both', { a: '2' }), deployment('web'));
    let left = 30;
    for (let done = false; !done && left > 0; left--)
      done = await applyManifest(client, wanted, { set }).then(
        () => true,
        () => false,
      );
    expect(left).toBeGreaterThan(0);
    const { items } = await plane.client.list(kinds.ConfigMap, {
      namespace: 'default',
      labelSelector: '!tektite.dev/history-of',
    });
    expect(new Set(items.map(({ metadata }) => metadata.name))).toEqual(new Set(['app', 'both']));
    const again = await attemptApply(plane.client, wanted, { set });
    expect(new Set(again.results.map(({ action }) => action))).toEqual(new Set(['unchanged']));
  });
});

describe('a user who may not do everything', () => {
  it('reports what is forbidden, and what was not applied because of it', async () => {
    await using plane = await startControlPlane();
    const rule = (resources: readonly string[]) => ({ apiGroups: [''], resources: [...resources], verbs: ['*'] });
    await plane.client.create(kinds.Role, {
      metadata: { namespace: 'default', name: 'some' },
      rules: [rule(['configmaps'])],
    });
    await plane.client.create(kinds.RoleBinding, {
      metadata: { namespace: 'default', name: 'some' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'some' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const jane = plane.clientFor({ name: 'jane', groups: ['system:authenticated'] });
    const report = await attemptApply(jane, manifestOf(configMap('a'), deployment('web'), webhook()));
    expect(report.results.map(({ action }) => action)).toEqual(['created', 'failed', 'skipped']);
    expect(report.failed[0]?.error).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('User "jane" cannot') as string,
    });
  });

  it('reports kinds that the server does not serve', async () => {
    await using plane = await startControlPlane();
    await expect(applyManifest(plane.client, manifestOf(widget('w')))).rejects.toMatchObject({ code: 'UNKNOWN_KIND' });
  });
});

function webhook() {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'hook' },
  };
}
