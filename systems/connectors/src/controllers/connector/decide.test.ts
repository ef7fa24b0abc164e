import { knownScopes, Manifest } from '@tektite/manifest';
import type { Mutable } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { keys } from '../../connector-keys.ts';
import type { InstallManifest } from '../../kinds/install-manifest.ts';
import { renderConnector } from '../../render/render-connector.ts';
import { application, configMap, connector, deployment } from '../../test-support.ts';
import { connectorConditions, installResults } from './connector-conditions.ts';
import { decideConnector } from './decide.ts';
import { wantedManifests } from './manifest-for.ts';
import { connectorKeys } from './manifest-index.ts';

function wantedFor(spec: object = {}, objects = application, version = 'v1') {
  const base = connector('shop', spec, 'team');
  const own = { ...base, metadata: { ...base.metadata, uid: 'u1', generation: 1 } };
  const payload = { component: 'shop', manifest: Manifest.of(objects), digest: '' };
  const rendered = renderConnector({
    connector: own,
    payload,
    operatorVersion: version,
    scopes: knownScopes(payload.manifest),
  });
  return wantedManifests(own, rendered, version);
}

type Draft = Mutable<InstallManifest>;

/** Both InstallManifests as the operator would have made them. */
function made(wanted = wantedFor()): [Draft, Draft] {
  return wanted.map(({ name, labels, annotations, spec }, index) => ({
    apiVersion: 'operator.connectors.alauda.io/v1alpha1',
    kind: 'InstallManifest',
    metadata: { name, uid: `im${index}`, generation: 1, labels: { ...labels }, annotations: { ...annotations } },
    spec: structuredClone(spec),
  })) as unknown as [Draft, Draft];
}

function decide(found: readonly InstallManifest[], wanted = wantedFor(), operatorVersion = 'v1') {
  const { actions, state } = decideConnector({ found, wanted, operatorVersion });
  const shown = actions.map((action) => {
    const name = 'wanted' in action ? action.wanted.name : (action.manifest.metadata.name ?? '');
    return `${action.type} ${name.replace(/-[0-9a-f]{8}-/, '-*-')}`;
  });
  return { actions: shown, state };
}

describe('what is done about a Connector', () => {
  it('C7: makes both InstallManifests where there are none, what workloads need first', () => {
    expect(decide([])).toEqual({
      actions: ['create shop-*-static', 'create shop-*-deployment'],
      state: { reason: 'Installing', message: 'the InstallManifests were written' },
    });
    const [first, second] = wantedFor();
    expect(second.spec.dependsOn).toEqual([first.name]);
  });

  it('C7: recreates a deleted one', () => {
    expect(decide([made()[0]]).actions).toEqual(['create shop-*-deployment']);
  });

  it('does nothing when nothing is different', () => {
    expect(decide(made())).toEqual({ actions: [], state: undefined });
  });

  it('C8: changes both in place when what is wanted changed', () => {
    expect(decide(made(), wantedFor({ labels: { a: 'b' } }))).toEqual({
      actions: ['update shop-*-static', 'update shop-*-deployment'],
      state: { reason: 'Installing', message: 'the InstallManifests were written' },
    });
  });

  it('C8: changes only the one whose objects changed', () => {
    const wanted = wantedFor({}, [...application, configMap('more')]);
    expect(decide(made(), wanted).actions).toEqual(['update shop-*-static']);
  });

  it('C8: rewrites a record that another client changed', () => {
    const found = made();
    found[0].spec.manifests[0]!.metadata.name = 'other';
    expect(decide(found).actions).toEqual(['update shop-*-static']);
  });

  it('C8: takes the old name of the hash for the new one, and drops it', () => {
    const found = made();
    const annotations = found[0].metadata.annotations as Record<string, string>;
    annotations[keys.formerHash] = 'x';
    expect(decide(found).actions).toEqual(['update shop-*-static']);
  });

  it('C8: records in another way without anything else', () => {
    expect(decide(made(), wantedFor({ manifestType: 'All' })).actions).toEqual([
      'update shop-*-static',
      'update shop-*-deployment',
    ]);
  });

  it('C6: deletes both for another version of the operator, up or down', () => {
    for (const [from, to] of [
      ['v1', 'v2'],
      ['v2', 'v1'],
    ] as const)
      expect(decide(made(wantedFor({}, application, from)), wantedFor({}, application, to), to)).toEqual({
        actions: ['delete shop-*-static', 'delete shop-*-deployment'],
        state: { reason: 'Upgrading', message: `from ${from} to ${to}` },
      });
  });

  it('C6: deletes both that an earlier Connector, or one of another namespace, left', () => {
    const earlier = made();
    for (const each of earlier) each.spec.connectorRef!.uid = 'u0';
    expect(decide(earlier)).toMatchObject({
      actions: ['delete shop-*-static', 'delete shop-*-deployment'],
      state: { reason: 'Reinstalling' },
    });
    const elsewhere = made();
    (elsewhere[1].metadata.annotations as Record<string, string>)[keys.targetNamespace] = 'old';
    expect(decide(elsewhere).state).toEqual({ reason: 'Reinstalling', message: 'from namespace old to team' });
  });

  it('C5: waits while one goes, and says why it goes', () => {
    const found = made();
    found[0].metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(decide(found)).toMatchObject({ actions: [], state: { reason: 'Deleting' } });
    const old = made(wantedFor({}, application, 'v0'));
    old[1].metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(decide([old[1]])).toEqual({ actions: [], state: { reason: 'Upgrading', message: 'from v0 to v1' } });
  });

  it('C4: of two of one type keeps the one with the right name', () => {
    const [first, second] = made();
    const other = { ...first, metadata: { ...first.metadata, name: 'shop-other-static' } };
    expect(decide([other, first, second]).actions).toEqual(['delete shop-other-static']);
  });

  it('C4: adopts those of early versions, which are known by other labels', () => {
    const [first] = made();
    const labels = { [keys.formerName]: 'shop', [keys.formerVersion]: 'v1' };
    const former = {
      ...first,
      metadata: { name: 'example-static', labels },
      spec: { manifests: [{ ...configMap('a'), metadata: { name: 'a', namespace: 'team' } }] },
    } as InstallManifest;
    expect(connectorKeys(former)).toEqual(['team/shop']);
    const { actions } = decideConnector({ found: [former], wanted: wantedFor(), operatorVersion: 'v1' });
    expect(actions).toMatchObject([
      {
        type: 'adopt',
        labels: {
          [keys.connectorName]: 'shop',
          [keys.connectorNamespace]: 'team',
          [keys.manifestType]: 'static',
          [keys.releaseVersion]: 'v1',
        },
      },
    ]);
    const adopted = {
      ...former,
      metadata: { ...former.metadata, labels: { ...actions[0], ...(actions[0] as { labels: object }).labels } },
    };
    expect(decide([adopted as unknown as InstallManifest]).actions).toEqual([
      'update shop-*-static',
      'create shop-*-deployment',
    ]);
  });

  it('refuses what is too large for one object, and says what helps', () => {
    const large = [configMap('large', { text: 'x'.repeat(1_100_000) }), deployment('web')];
    expect(() => wantedFor({ manifestType: 'All' }, large)).toThrow(
      /has 1100\d+ bytes of 1048576; set spec.manifestType to Metadata$/,
    );
    expect(wantedFor({}, large)).toHaveLength(2);
  });
});

describe('what a Connector says of its InstallManifests', () => {
  const all = ['CrdInstalled', 'ClustersScoped', 'NamespaceScoped', 'DeploymentsAvailable', 'StatefulSetReady'];
  type Said = readonly [type: string, status: 'True' | 'False' | 'Unknown', reason: string, message?: string];

  function said(first: readonly Said[], second: readonly Said[] = []) {
    const found = made();
    [first, second].forEach((list, index) => {
      const conditions = [...all.map((type): Said => [type, 'True', 'Installed']), ...list].map(
        ([type, status, reason, message = '']) => ({ type, status, reason, message }),
      );
      found[index]!.status = {
        observedGeneration: 1,
        conditions: conditions.filter(({ type }, at) => !conditions.slice(at + 1).some((later) => later.type === type)),
      } as never;
    });
    const transformed = { condition: 'TransformersSucceeded', status: 'True', reason: 'Transformed' } as const;
    const results = [transformed, ...installResults(found)];
    const conditions = connectorConditions.update([], results, { now: '2026-01-01T00:00:00Z' });
    return Object.fromEntries(
      conditions.map(({ type, status, reason, message }) => [
        type,
        `${status} ${reason}${message && status !== 'True' ? ` ${message.replace(/-[0-9a-f]{8}-/, '-*-')}` : ''}`,
      ]),
    );
  }

  it('is that all is well, when it is', () => {
    expect(said([])).toMatchObject({
      InstallSucceeded: 'True Installed',
      WorkloadAvailable: 'True Available',
      Ready: 'True Ready',
    });
  });

  it.each([
    ['CrdInstalled', 'CrdInstallFailed', 'CustomResourceDefinition a: no'],
    ['CrdInstalled', 'CrdNotEstablished', 'CustomResourceDefinition a: it is not established'],
    ['ClustersScoped', 'ClusterScopedInstallFailed', 'ClusterRole a: no'],
    ['NamespaceScoped', 'NamespaceScopedInstallFailed', 'ConfigMap team/a: no'],
    ['NamespaceScoped', 'OwnershipConflict', 'ConfigMap team/a is controlled by InstallManifest other'],
    ['NamespaceScoped', 'ImmutableField', 'ConfigMap team/a: data'],
  ])('names the phase that failed: %s %s', (type, reason, message) => {
    const { InstallSucceeded, Ready } = said(
      [[type, 'False', reason, message]],
      [['Ready', 'False', 'WaitingForDependency', 'x']],
    );
    expect(InstallSucceeded).toBe(`False ${reason} shop-*-static: ${message}`);
    expect(Ready).toBe(InstallSucceeded);
  });

  it.each([
    ['DeploymentsAvailable', 'DeploymentNotReady', 'Deployment team/web: 1/2 available'],
    ['DeploymentsAvailable', 'DeploymentStalled', 'Deployment team/web: 0/2 available: it took too long'],
    ['StatefulSetReady', 'StatefulSetNotReady', 'StatefulSet team/db: 0/1 ready'],
  ])('names the workload that is not available: %s %s', (type, reason, message) => {
    const { InstallSucceeded, WorkloadAvailable, Ready } = said([], [[type, 'False', reason, message]]);
    expect(InstallSucceeded).toBe('True Installed');
    expect(WorkloadAvailable).toBe(`False ${reason} shop-*-deployment: ${message}`);
    expect(Ready).toBe(WorkloadAvailable);
  });

  it('reports one that waits, and one that differs from its record', () => {
    expect(said([], [['Ready', 'False', 'WaitingForDependency', 'InstallManifest a is not ready']]).Ready).toBe(
      'Unknown WaitingForDependency shop-*-deployment: InstallManifest a is not ready',
    );
    expect(said([['Ready', 'False', 'RenderMismatch', 'ConfigMap a is not what was recorded']]).Ready).toBe(
      'False RenderMismatch shop-*-static: ConfigMap a is not what was recorded',
    );
  });

  it('believes nothing that was said of an earlier state', () => {
    const found = made();
    for (const each of found) each.status = { observedGeneration: 0, conditions: [] } as never;
    expect(installResults(found).map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      'Unknown Installing',
      'Unknown Installing',
    ]);
  });
});
