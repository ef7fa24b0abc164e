import { kinds, mergePatch } from '@tektite/client';
import type { Pod, PodSpec } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { createNode, template, testCluster, type TestCluster } from '../test-support.ts';

const containers = (requests: Record<string, string> = {}, limits: Record<string, string> = {}) => [
  { name: 'main', image: 'busybox', resources: { requests, limits } },
];

function create(
  { client }: TestCluster,
  name: string,
  spec: Partial<PodSpec> = {},
  labels: Record<string, string> = {},
): Promise<Pod> {
  return client.create(kinds.Pod, {
    metadata: { namespace: 'default', name, labels },
    spec: { containers: containers(), ...spec },
  });
}

const get = ({ client }: TestCluster, name: string) => client.get(kinds.Pod, { namespace: 'default', name });

async function nodeOrMessage(cluster: TestCluster, name: string): Promise<string | undefined> {
  const { spec, status } = await get(cluster, name);
  return spec?.nodeName ?? status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
}

const helpless = 'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
const noVictims = 'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';

describe('the scheduler', () => {
  it('binds a Pod to a node and records an Event', async () => {
    await using cluster = await testCluster();
    await create(cluster, 'a');
    await cluster.settle();
    expect(await nodeOrMessage(cluster, 'a')).toBe('node-1');
    const [event] = (await cluster.client.list(kinds.EventsV1Event, { namespace: 'default' })).items;
    expect(event).toMatchObject({
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      note: 'Successfully assigned default/a to node-1',
      reportingController: 'default-scheduler',
    });
  });

  it('warns of no claim that is created right before its Pod, and of one that stays unbound', async () => {
    const nothing = () => Promise.resolve();
    const storage = { directory: '/volumes', createFolder: nothing, removeFolder: nothing };
    await using cluster = await testCluster({ storage });
    const claim = (name: string, spec: object = {}) =>
      cluster.client.create(kinds.PersistentVolumeClaim, {
        metadata: { namespace: 'default', name },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } }, ...spec },
      });
    const uses = (claimName: string) => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] });
    for (let i = 0; i < 5; i++) {
      await claim(`c${i}`);
      await create(cluster, `p${i}`, uses(`c${i}`));
    }
    await claim('none', { storageClassName: '', volumeName: 'none' });
    await create(cluster, 'waits', uses('none'));
    await cluster.settle(1000);
    for (let i = 0; i < 5; i++) expect(await nodeOrMessage(cluster, `p${i}`)).toBe('node-1');
    expect(await nodeOrMessage(cluster, 'waits')).toBeUndefined();
    await cluster.settle(5000);
    expect(await nodeOrMessage(cluster, 'waits')).toContain('pod has unbound immediate PersistentVolumeClaims');
    const { items } = await cluster.client.list(kinds.EventsV1Event, { namespace: 'default' });
    const warned = items.filter(({ reason }) => reason === 'FailedScheduling').map(({ regarding }) => regarding?.name);
    expect(warned).toEqual(['waits']);
  });

  it.each<[string, Partial<PodSpec>, string]>([
    [
      'more than a node has',
      { containers: containers({ cpu: '9' }) },
      `0/1 nodes are available: 1 Insufficient cpu. ${helpless}`,
    ],
    [
      'more than is left',
      { containers: containers({ cpu: '5' }) },
      `0/1 nodes are available: 1 Insufficient cpu. ${noVictims}`,
    ],
    [
      'too much of several things',
      { containers: containers({ cpu: '5', memory: '1Ti', 'example.com/gpu': '1' }, { 'example.com/gpu': '1' }) },
      `0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient example.com/gpu, 1 Insufficient memory. ${helpless}`,
    ],
    [
      'a label that no node has',
      { nodeSelector: { disk: 'ssd' } },
      `0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. ${helpless}`,
    ],
    [
      'a claim that is not there',
      { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'none' } }] },
      `0/1 nodes are available: persistentvolumeclaim "none" not found. not found`,
    ],
  ])('says why a Pod that asks for %s cannot go anywhere', async (_title, spec, message) => {
    await using cluster = await testCluster();
    await create(cluster, 'big', { containers: containers({ cpu: '4' }) });
    await cluster.settle();
    await create(cluster, 'a', spec);
    await cluster.settle();
    expect(await nodeOrMessage(cluster, 'a')).toBe(message);
    const { status } = await get(cluster, 'a');
    expect(status?.conditions?.find(({ type }) => type === 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
    });
    const events = (await cluster.client.list(kinds.Event, { namespace: 'default' })).items.filter(
      ({ reason }) => reason === 'FailedScheduling',
    );
    expect(events.map((event) => event.message)).toEqual([message]);
  });

  it('says that there are no nodes, and that one is tainted', async () => {
    await using cluster = await testCluster({ nodes: [] });
    await create(cluster, 'a');
    await cluster.settle();
    expect(await nodeOrMessage(cluster, 'a')).toBe('no nodes available to schedule pods');
    await createNode(cluster.client, 'n');
    const taints = [{ key: 'team', value: 'x', effect: 'NoSchedule' }];
    await cluster.client.patch(kinds.Node, { name: 'n' }, mergePatch({ spec: { taints } }));
    await cluster.settle();
    expect(await nodeOrMessage(cluster, 'a')).toBe(
      `0/1 nodes are available: 1 node(s) had untolerated taint(s). ${helpless}`,
    );
    await create(cluster, 'b', { tolerations: [{ key: 'team', operator: 'Exists' }] });
    await cluster.settle();
    expect(await nodeOrMessage(cluster, 'b')).toBe('n');
  });

  it('does not schedule Pods with gates until the last gate is removed', async () => {
    await using cluster = await testCluster();
    await create(cluster, 'a', { schedulingGates: [{ name: 'example.com/wait' }] });
    await cluster.settle();
    const { status } = await get(cluster, 'a');
    expect(status?.conditions?.[0]).toMatchObject({ type: 'PodScheduled', reason: 'SchedulingGated' });
    await cluster.client.patch(
      kinds.Pod,
      { namespace: 'default', name: 'a' },
      mergePatch({ spec: { schedulingGates: [] } }),
    );
    await cluster.settle();
    expect(await nodeOrMessage(cluster, 'a')).toBe('node-1');
  });

  it('never gives a node more than it has, however many come at once', async () => {
    await using cluster = await testCluster({ nodes: ['n1', 'n2'] });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => create(cluster, `p${index}`, { containers: containers({ cpu: '1' }) })),
    );
    await cluster.settle();
    const { items } = await cluster.client.list(kinds.Pod);
    const on = (node: string) => items.filter(({ spec }) => spec?.nodeName === node).length;
    expect([on('n1'), on('n2')]).toEqual([8, 8]);
    await cluster.client.delete(kinds.Pod, {
      namespace: 'default',
      name: items.find(({ spec }) => spec?.nodeName)?.metadata.name ?? '',
    });
    await cluster.settle();
    expect((await cluster.client.list(kinds.Pod)).items.filter(({ spec }) => spec?.nodeName)).toHaveLength(16);
  });

  it('keeps Pods apart, and together, as they ask', async () => {
    await using cluster = await testCluster({ nodes: ['n1', 'n2'] });
    const term = (app: string) => ({ labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' });
    const apart = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('web')] } } };
    for (const name of ['w1', 'w2', 'w3']) {
      await create(cluster, name, apart, { app: 'web' });
      await cluster.settle(500);
    }
    const first = await nodeOrMessage(cluster, 'w1');
    expect(new Set([first, await nodeOrMessage(cluster, 'w2')])).toEqual(new Set(['n1', 'n2']));
    expect(await nodeOrMessage(cluster, 'w3')).toBe(
      "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
    );
    await cluster.client.patch(
      kinds.Pod,
      { namespace: 'default', name: 'w1' },
      mergePatch({ metadata: { labels: { app: 'db' } } }),
    );
    await create(cluster, 'near', {
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('db')] } },
    });
    await cluster.settle();
    expect(await nodeOrMessage(cluster, 'near')).toBe(first);
  });

  it('spreads Pods over the nodes', async () => {
    await using cluster = await testCluster({ nodes: ['n1', 'n2', 'n3'] });
    const topologySpreadConstraints = [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ];
    for (let index = 0; index < 6; index++)
      await create(cluster, `p${index}`, { topologySpreadConstraints }, { app: 'web' });
    await cluster.settle();
    const { items } = await cluster.client.list(kinds.Pod);
    for (const node of ['n1', 'n2', 'n3']) expect(items.filter(({ spec }) => spec?.nodeName === node)).toHaveLength(2);
  });

  it('prefers the node that the Pod likes', async () => {
    await using cluster = await testCluster({ nodes: ['n1', 'n2', 'n3'] });
    const preference = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n2'] }] };
    const affinity = {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] },
    };
    for (const name of ['a', 'b']) await create(cluster, name, { affinity });
    await cluster.settle();
    expect([await nodeOrMessage(cluster, 'a'), await nodeOrMessage(cluster, 'b')]).toEqual(['n2', 'n2']);
  });

  it('does not touch Pods of another scheduler', async () => {
    await using cluster = await testCluster();
    await create(cluster, 'a', { ...template('a').spec, schedulerName: 'other' });
    await cluster.settle();
    expect(await nodeOrMessage(cluster, 'a')).toBeUndefined();
  });

  it('preempts Pods of lower priority, no more than needed, and keeps the room for the preemptor', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    for (const [name, value] of [
      ['low', 10],
      ['middle', 20],
      ['high', 1000],
    ] as const)
      await client.create(kinds.PriorityClass, { metadata: { name }, value });
    const asking = (cpu: string, priorityClassName: string) => ({ containers: containers({ cpu }), priorityClassName });
    await create(cluster, 'low', asking('4', 'low'));
    await create(cluster, 'middle', asking('4', 'middle'));
    await cluster.settle();
    await create(cluster, 'high', asking('4', 'high'));
    await create(cluster, 'late', asking('4', 'low'));
    await cluster.settle();
    const running = (await client.list(kinds.Pod)).items
      .filter(({ spec }) => spec?.nodeName)
      .map(({ metadata }) => metadata.name);
    expect(running).toEqual(['high', 'middle']);
    const [event] = (await client.list(kinds.Event, { namespace: 'default' })).items.filter(
      ({ reason }) => reason === 'Preempted',
    );
    expect(event?.involvedObject.name).toBe('low');
    expect(event?.message).toMatch(/^Preempted by pod .* on node node-1$/);
  });
});
