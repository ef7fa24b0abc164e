import { expect, it } from 'vitest';
import { boardItem, hostSections, installSections } from './board.ts';
import { objectLink } from './object-link.ts';

const item = (conditions: readonly object[]) =>
  boardItem({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, status: { conditions } } as never);

it('names the condition that keeps an object from being ready', () => {
  const conditions = [
    { type: 'PreInstall', status: 'True' },
    { type: 'Ready', status: 'False', message: 'not ready' },
    { type: 'DeploymentsAvailable', status: 'False', message: 'webhook is missing' },
  ];
  expect(item(conditions)).toMatchObject({
    state: 'failed',
    cause: 'DeploymentsAvailable: webhook is missing',
    conditions: [{ type: 'Ready' }, { type: 'PreInstall' }, { type: 'DeploymentsAvailable' }],
  });
  expect(item([{ type: 'Ready', status: 'True' }])).toMatchObject({ state: 'ready', cause: '' });
  expect(item([])).toMatchObject({ state: 'waiting', cause: '' });
});

it('counts conditions of low severity as waiting, and a host that is free as ready', () => {
  const host = (conditions: readonly object[], more: object = {}) =>
    boardItem({ apiVersion: 'v1', kind: 'ByoHost', metadata: { name: 'h' }, status: { conditions, ...more } } as never);
  const info = { type: 'K8sNodeBootstrapSucceeded', status: 'False', severity: 'Info', reason: 'Waiting' };
  expect(host([info]).state).toBe('ready');
  expect(host([info], { machineRef: { name: 'm' } })).toMatchObject({ state: 'waiting', facts: [['machine', 'm']] });
  expect(host([{ ...info, severity: 'Error' }])).toMatchObject({
    state: 'failed',
    cause: expect.stringContaining('Waiting'),
  });
});

it('shows an upgrade that was undone, and clusters that have no conditions', () => {
  const annotations = { 'tektite.dev/upgrade-failed': '{"to":"x","release":"v2.0.0","why":"webhook is missing"}' };
  const component = {
    apiVersion: 'v1',
    kind: 'TektonPipeline',
    metadata: { name: 'pipeline' },
    status: { annotations },
  };
  expect(boardItem(component as never).upgrade).toMatch(
    /v2\.0\.0 failed, and the release before it .*webhook is missing/,
  );
  expect(item([])).toMatchObject({ upgrade: '', state: 'waiting' });
  const cluster = { apiVersion: 'v1', kind: 'ByoCluster', metadata: { name: 'c' }, status: { ready: true } };
  expect(boardItem(cluster as never).state).toBe('ready');
});

it('finds the resources of its sections whatever their version', () => {
  const sectionOf = (sections: typeof installSections, group: string, plural: string) =>
    sections.find(({ isIn }) => isIn({ group, version: 'v1', plural }))?.title;
  expect(sectionOf(installSections, 'operator.tekton.dev', 'manualapprovalgates')).toBe('Tekton');
  expect(sectionOf(installSections, 'operator.connectors.alauda.io', 'installmanifests')).toBe('Connectors');
  expect(sectionOf(installSections, 'apps', 'deployments')).toBeUndefined();
  expect(sectionOf(hostSections, 'infrastructure.cluster.x-k8s.io', 'byohosts')).toBe('Hosts');
});

it('links objects to the page that knows them best', () => {
  const link = (group: string, plural: string, namespace = 'ns') =>
    objectLink({ group, version: 'v1', plural }, namespace, 'a b');
  expect(link('tekton.dev', 'pipelineruns')).toBe('/runs/pipelinerun/ns/a%20b');
  expect(link('tekton.dev', 'tasks')).toBe('/pipelines/task/ns/a%20b');
  expect(link('', 'nodes', '')).toBe('/objects/core/v1/nodes/-/a%20b');
});
