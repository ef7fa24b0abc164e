import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { type Client, kinds, openClient } from '@tektite/client';
import type { Condition, DynamicObject, KubeObject } from '@tektite/meta';
import { expect, it } from 'vitest';
import { repository, Scratch } from '../test-support.ts';

const definition = 'tasks.tekton.dev';
const task = { apiVersion: 'tekton.dev/v1', kind: 'Task' };
const pipelineRuns = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun' };
const mine = { namespace: 'default', name: 'mine' };
const patience = { timeout: 90_000, interval: 250 };

interface Definition extends KubeObject {
  readonly spec: { readonly versions: readonly { readonly name: string; readonly storage: boolean }[] };
}

interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: { readonly volumes: readonly object[]; readonly containers: readonly Container[] };
    };
  };
}

interface Container {
  readonly env: readonly object[];
  readonly volumeMounts: readonly object[];
}

/** Another version of what `tektite deploy` prints: Tasks are stored in this version. Its Pods are processes of this machine. */
function release(printed: readonly KubeObject[], stored: string): readonly KubeObject[] {
  const mounts = [
    { name: 'program', mountPath: '/opt/tektite', path: join(repository, 'apps/cli') },
    { name: 'node', mountPath: '/opt/node', path: dirname(process.execPath) },
  ];
  return printed.map((object) => {
    if (object.kind === 'Namespace') {
      // Programs of this machine are mounted.
      const labels = { ...object.metadata.labels, 'pod-security.kubernetes.io/enforce': 'privileged' };
      return { ...object, metadata: { ...object.metadata, labels } };
    }
    if (object.kind === 'CustomResourceDefinition' && object.metadata.name === definition) {
      const { spec } = object as Definition;
      const versions = spec.versions.map((version) => ({ ...version, storage: version.name === stored }));
      return { ...object, spec: { ...spec, versions } } as KubeObject;
    }
    if (object.kind !== 'Deployment') return object;
    const { spec } = object as Deployment;
    const [container] = spec.template.spec.containers as readonly [Container];
    const own = {
      ...container,
      image: 'busybox',
      command: ['/opt/node/node', '/opt/tektite/bin/tektite.js'],
      env: [...container.env, { name: 'RELEASE', value: `tasks-in-${stored}` }],
      volumeMounts: [
        ...container.volumeMounts,
        ...mounts.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })),
      ],
    };
    const volumes = [
      ...spec.template.spec.volumes,
      ...mounts.map(({ name, path }) => ({ name, hostPath: { path, type: 'Directory' } })),
    ];
    const template = { ...spec.template, spec: { ...spec.template.spec, volumes, containers: [own] } };
    return { ...object, spec: { ...spec, replicas: 1, template } } as KubeObject;
  });
}

async function stored(client: Client): Promise<unknown> {
  const { status } = await client.get(kinds.CustomResourceDefinition, { name: definition });
  return status?.storedVersions;
}

async function reasonOf(client: Client, name: string): Promise<string | undefined> {
  const { status } = await client.get(pipelineRuns, { namespace: 'default', name });
  return ((status ?? {}) as { readonly conditions?: readonly Condition[] }).conditions?.[0]?.reason;
}

const pipelineRun = (name: string, script: string): KubeObject =>
  ({
    ...pipelineRuns,
    metadata: { namespace: 'default', name },
    spec: {
      pipelineSpec: {
        tasks: [
          { name: 'long', taskSpec: { steps: [{ name: 'work', image: 'busybox', script }] } },
          { name: 'own', runAfter: ['long'], taskRef: { name: 'mine' } },
        ],
      },
    },
  }) as unknown as KubeObject;

it('an upgrade that stores another version, a downgrade and an uninstall leave the objects of users', {
  timeout: 240_000,
}, async () => {
  using scratch = new Scratch();
  await using up = await scratch.up('--systems', '', '--runtime', 'host');
  await using client = await openClient({ kubeconfig: up.kubeconfig });
  const env = { KUBECONFIG: up.kubeconfig };
  const { out } = scratch.tektite(['deploy', 'pipelines', '-o', 'json']);
  const printed = (JSON.parse(out) as { readonly items: readonly KubeObject[] }).items;
  const kubectl = (verb: string, objects: readonly KubeObject[]) => {
    const file = scratch.write('objects.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    const { status, stderr } = spawnSync('kubectl', [verb, '-f', file], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    expect(`${status} ${stderr.replaceAll(/^Warning: .*\n/gm, '')}`).toBe('0 ');
  };
  const install = async (version: string) => {
    kubectl('apply', release(printed, version));
    const name = 'tekton-pipelines-controller';
    const rolledOut = async () => {
      const { metadata, status } = await client.get(kinds.Deployment, { namespace: 'tekton-pipelines', name });
      const { observedGeneration, updatedReplicas, availableReplicas, replicas } = status ?? {};
      return [observedGeneration === metadata.generation, updatedReplicas, availableReplicas, replicas];
    };
    await expect.poll(rolledOut, patience).toEqual([true, 1, 1, 1]);
  };
  const spec = { steps: [{ name: 'say', image: 'busybox', script: 'echo mine' }] };
  const taskSpec = async () => ((await client.get(task, mine)) as DynamicObject & { spec: object }).spec;

  await install('v1beta1');
  await client.create({ ...task, metadata: mine, spec } as unknown as KubeObject);
  await client.create(pipelineRun('upgraded', 'sleep 4'));
  expect(await stored(client)).toEqual(['v1beta1']);

  await install('v1');
  expect(await stored(client)).toEqual(['v1beta1', 'v1']);
  expect(scratch.tektite(['migrate-storage'], env)).toMatchObject({ code: 0, err: '' });
  expect(await stored(client)).toEqual(['v1']);
  expect(await taskSpec()).toMatchObject(spec);
  await expect.poll(() => reasonOf(client, 'upgraded'), patience).toBe('Succeeded');

  await client.create(pipelineRun('downgraded', 'sleep 4'));
  expect(scratch.tektite(['migrate-storage', definition, '--to', 'v1beta1'], env)).toMatchObject({ code: 0, err: '' });
  await install('v1beta1');
  expect(await stored(client)).toEqual(['v1beta1']);
  expect(await taskSpec()).toMatchObject(spec);
  await expect.poll(() => reasonOf(client, 'downgraded'), patience).toBe('Succeeded');

  expect(scratch.tektite(['migrate-storage', definition, '--to', 'v1'], env)).toMatchObject({ code: 0, err: '' });
  const values = scratch.write('values.json', JSON.stringify({ crds: { install: false } }));
  const rest = scratch.tektite(['deploy', 'pipelines', '--values', values, '-o', 'json']);
  kubectl('delete', (JSON.parse(rest.out) as { readonly items: readonly KubeObject[] }).items);
  expect(await taskSpec()).toMatchObject(spec);
  expect(await reasonOf(client, 'upgraded')).toBe('Succeeded');
});
