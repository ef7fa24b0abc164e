import { expect, it } from 'vitest';
import { boardItem, hostSections, installSections, isInSection } from './board.ts';
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

it('finds the resources of its sections whatever their version', () => {
  const in0 = (sections: typeof installSections, group: string, plural: string) =>
    sections.findIndex((section) => isInSection(section, { group, version: 'v1', plural }));
  expect(in0(installSections, 'operator.tekton.dev', 'tektonconfigs')).toBe(0);
  expect(in0(installSections, 'operator.tekton.dev', 'tektoninstallersets')).toBe(1);
  expect(in0(installSections, 'apps', 'deployments')).toBe(-1);
  expect(in0(hostSections, 'infrastructure.cluster.x-k8s.io', 'byohosts')).toBe(0);
});

it('links objects to the page that knows them best', () => {
  const link = (group: string, plural: string, namespace = 'ns') =>
    objectLink({ group, version: 'v1', plural }, namespace, 'a b');
  expect(link('tekton.dev', 'pipelineruns')).toBe('/runs/pipelinerun/ns/a%20b');
  expect(link('tekton.dev', 'tasks')).toBe('/pipelines/task/ns/a%20b');
  expect(link('', 'nodes', '')).toBe('/objects/core/v1/nodes/-/a%20b');
});
