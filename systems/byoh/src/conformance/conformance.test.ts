import { kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, installKinds, Manager, startSystems } from '@tektite/controller';
import { controllerReference, isStatusError } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allKinds } from '../kinds/all-kinds.ts';
import { clusterApiStubs } from '../kinds/cluster-api.ts';
import { K8sInstallerConfig, K8sInstallerConfigTemplate } from '../kinds/k8s-installer-config.ts';
import { byohSystem } from '../system.ts';
import { clusterNameLabel, secretType } from '../wire-names.ts';
import { runConformance } from './run-conformance.ts';

let plane: ControlPlane;
const ending: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  plane = await startControlPlane();
});
afterEach(async () => {
  for (let end = ending.pop(); end; end = ending.pop()) await end();
  await plane.close();
});

async function check(only?: readonly string[]): Promise<readonly string[]> {
  const { client } = plane;
  const template = await client.create(K8sInstallerConfigTemplate, {
    metadata: { name: 't1', namespace: 'default' },
    spec: { template: { spec: { bundleRepo: 'registry.example.com/b', bundleType: 'k8s' } } },
  });
  const results: string[] = [];
  for await (const { id, result } of runConformance({
    client,
    template: template as never,
    configKind: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1', kind: 'K8sInstallerConfig' },
    namespace: 'conformance',
    host: { osname: 'linux', osimage: 'Ubuntu 20.04.6 LTS', architecture: 'amd64' },
    k8sVersion: 'v1.26.6',
    settleMs: 250,
    patienceMs: 1500,
    ...(only ? { only } : {}),
  }))
    results.push(`${id} ${result}`);
  return results;
}

it('the default installer follows the contract, all fifteen checks', { timeout: 60_000 }, async () => {
  const running = await startSystems([byohSystem()], { client: plane.clientFor(plane.transport()), graceMs: 500 });
  ending.push(() => running.stop());
  expect(await check()).toEqual(Array.from({ length: 15 }, (_, i) => `C${i + 1} pass`));
});

/** An installer that knows the end of the contract and nothing of its beginning. */
function carelessInstaller(): ControllerDefinition {
  return defineController({
    name: 'careless',
    kind: K8sInstallerConfig,
    async reconcile(config, { client, namespace = '', name, writeStatus }) {
      const encode = (text: string) => Buffer.from(text).toString('base64');
      const secret = {
        metadata: {
          name,
          namespace,
          labels: { [clusterNameLabel]: 'conformance' },
          ownerReferences: [controllerReference(config)],
        },
        type: secretType,
        data: { install: encode(`if true; then {{.Arch}}`), uninstall: encode('true') },
      };
      await client.create(kinds.Secret, secret).catch(async (error: unknown) => {
        if (!isStatusError(error, 'AlreadyExists')) throw error;
        const old = await client.get(kinds.Secret, { namespace, name });
        await client.update(kinds.Secret, { ...old, data: secret.data });
      });
      await writeStatus(config, { ready: true, installationSecret: { name, namespace } });
    },
  });
}

describe('an installer that does not follow it', () => {
  it('is found out, check by check', { timeout: 60_000 }, async () => {
    await installKinds(plane.client, allKinds);
    for (const stub of clusterApiStubs) await plane.client.create(stub);
    const manager = new Manager(plane.clientFor(plane.transport()), { name: 'careless', graceMs: 0 });
    manager.add(carelessInstaller());
    manager.start();
    ending.push(() => manager.stop());
    const results = await check(['C1', 'C2', 'C3', 'C4', 'C5', 'C8', 'C9', 'C10', 'C11', 'C15']);
    expect(results.filter((each) => each.endsWith('pass'))).toEqual([]);
  });

  it('is found out when it does not run', { timeout: 60_000 }, async () => {
    await installKinds(plane.client, allKinds);
    for (const stub of clusterApiStubs) await plane.client.create(stub);
    expect(await check(['C6', 'C13'])).toEqual(['C6 fail', 'C13 skip']);
  });
});
