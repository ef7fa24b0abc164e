import { mergePatch } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { serveKind, transportApi } from '../test-support.ts';
import { installSections } from './board.ts';
import { BoardStore } from './board-store.ts';
import { DiscoveryStore } from './discovery-store.ts';

it('shows components in their order with the sets that are part of them, live', async () => {
  await using plane = await startControlPlane();
  const group = 'operator.tekton.dev';
  const scope = { scope: 'Cluster' };
  for (const kind of ['TektonTrigger', 'TektonPipeline', 'TektonInstallerSet', 'ManualApprovalGate'])
    await serveKind(plane, group, kind, scope);
  const make = (kind: string, name: string, more: object = {}) =>
    plane.client.create({ apiVersion: `${group}/v1`, kind, metadata: { name }, ...more } as never);
  await make('ManualApprovalGate', 'gate');
  await make('TektonPipeline', 'pipeline', {
    status: { version: 'v1', conditions: [{ type: 'Ready', status: 'True' }] },
  });
  await plane.client.create({
    apiVersion: `${group}/v1`,
    kind: 'TektonInstallerSet',
    metadata: { name: 'pipeline-main', labels: { 'operator.tekton.dev/created-by': 'TektonPipeline' } },
    spec: { manifests: [{}, {}] },
  } as never);
  const api = transportApi(plane.transport());
  const options = { api, clock: systemClock, schedule: (flush: () => void) => flush() };
  const store = new BoardStore(installSections, { ...options, discovery: new DiscoveryStore(api) });
  const cards = () => store.sections.value?.[0]?.cards ?? [];
  const text = () => cards().map(({ item, parts }) => [item.kind, item.state, ...parts.map((part) => part.item.size)]);
  await expect.poll(text).toEqual([
    ['TektonPipeline', 'ready', 2],
    ['ManualApprovalGate', 'waiting'],
  ]);
  const failed = { status: { conditions: [{ type: 'Ready', status: 'False', message: 'no release' }] } };
  await plane.client.patch(
    { apiVersion: `${group}/v1`, kind: 'ManualApprovalGate' },
    { name: 'gate' },
    mergePatch(failed),
  );
  await expect.poll(() => cards()[1]?.item.cause).toBe('Ready: no release');
  expect(store.sections.value?.map(({ title }) => title)).toEqual(['Tekton']);
  store.stop();
});
