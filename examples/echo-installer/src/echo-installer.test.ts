import { runConformance } from '@tektite/byoh';
import { startSystems } from '@tektite/controller';
import { byohSystem } from '@tektite/byoh';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EchoInstallerConfigTemplate } from './echo-installer-config.ts';
import { system } from './index.ts';

let plane: ControlPlane;
const ending: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  plane = await startControlPlane();
  // Two processes that share nothing but the API: the manager knows of no installer, the installer of no manager.
  const manager = await startSystems([byohSystem({ parts: 'manager' })], { client: plane.client, graceMs: 500 });
  const installer = await startSystems([system], { client: plane.clientFor(plane.transport()), graceMs: 500 });
  ending.push(
    () => installer.stop(),
    () => manager.stop(),
  );
});
afterAll(async () => {
  for (const end of ending) await end();
  await plane.close();
});

it('a second installer follows the contract, with no change to the manager', { timeout: 60_000 }, async () => {
  const { client } = plane;
  const template = await client.create(EchoInstallerConfigTemplate, {
    metadata: { name: 'echo', namespace: 'default' },
    spec: { template: { spec: { greeting: "it's me" } } },
  });
  const configKind = { apiVersion: 'example.dev/v1', kind: 'EchoInstallerConfig' };
  const host = { osname: 'linux', osimage: 'Ubuntu 20.04.6 LTS', architecture: 'amd64' };
  const options = {
    client,
    template: template as never,
    configKind,
    namespace: 'conformance',
    host,
    k8sVersion: 'v1.26.6',
    settleMs: 300,
  };
  const results: string[] = [];
  for await (const { id, result, detail = '' } of runConformance(options))
    results.push(`${id} ${result} ${result === 'pass' ? '' : detail}`.trim());
  expect(results).toEqual(Array.from({ length: 15 }, (_, i) => `C${i + 1} pass`));
});
