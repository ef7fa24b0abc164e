import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, kinds } from '@tektite/client';
import { defineKind, s } from '@tektite/schema';
import type { Cluster } from '@tektite/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { conversion, spoke } from './conversion.ts';
import { conversionWebhook } from './conversion-webhook.ts';
import { defaulting, defaultingWebhook } from './defaulting-webhook.ts';
import { WebhookService } from './webhook-service.ts';

const rotations = Number(process.env['TEKTITE_ROTATIONS'] ?? 2);
const clients = 4;
const second = 1000;
/** Renewed three seconds after they are made, long before they expire: a slow machine must not see one expire. */
const times = { validForMs: 600 * second, renewBeforeMs: 597 * second, checkEveryMs: 200, settleMs: second / 2 };

const names = { group: 'rotation.tektite.dev', kind: 'Gear' } as const;
const Gear = defineKind({ ...names, version: 'v1', fields: { spec: s.object({ teeth: s.integer().optional() }) } });
const OldGear = defineKind({
  ...names,
  version: 'v1beta1',
  fields: { spec: s.object({ cogs: s.integer().optional() }) },
});
const webhooks = [
  defaultingWebhook({
    name: 'defaults.rotation.tektite.dev',
    rules: [defaulting(Gear, ({ spec, ...rest }) => ({ ...rest, spec: { ...spec, teeth: 12 } }))],
  }),
  conversionWebhook({
    rules: [
      conversion({
        hub: Gear,
        spokes: [
          spoke(OldGear, Gear, {
            toHub: ({ spec, ...rest }) => ({ ...rest, spec: spec.cogs === undefined ? {} : { teeth: spec.cogs } }),
            fromHub: ({ spec, ...rest }) => ({ ...rest, spec: spec.teeth === undefined ? {} : { cogs: spec.teeth } }),
          }),
        ],
      }),
    ],
  }),
];

const definition = {
  metadata: { name: 'gears.rotation.tektite.dev' },
  spec: {
    group: names.group,
    scope: 'Namespaced' as const,
    names: { plural: 'gears', singular: 'gear', kind: 'Gear', listKind: 'GearList' },
    versions: ['v1', 'v1beta1'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })),
  },
};

/** The address of the Service: each connection goes to the next replica. */
async function startService(): Promise<{ readonly port: number; readonly replicas: number[] }> {
  const replicas: number[] = [];
  let next = 0;
  const server = createServer((socket) => {
    const replica = connect(replicas[next++ % replicas.length] ?? 0, '127.0.0.1');
    socket.on('error', () => replica.destroy()).on('close', () => replica.destroy());
    replica.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(replica).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, replicas };
}

/** Connects as an API server that has just started, which trusts what the configuration names. Returns the serial number that it sees. */
async function connectAnew(client: Client, port: number): Promise<string> {
  const { webhooks: [webhook] = [] } = await client.get(kinds.MutatingWebhookConfiguration, {
    name: 'defaults.rotation.tektite.dev',
  });
  const ca = Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64').toString();
  const socket = connectTls({ host: '127.0.0.1', port, ca });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerX509Certificate() as X509Certificate;
  socket.destroy();
  return serialNumber;
}

/** Repeats `work` until the signal is aborted; returns how often it was done, and what failed. */
async function repeat(signal: AbortSignal, work: (round: number) => Promise<unknown>) {
  const failures: string[] = [];
  let done = 0;
  for (; !signal.aborted; done++) {
    await work(done).catch((error: unknown) => failures.push(String(error)));
    await delay(10);
  }
  return { done, failures };
}

/** Certificates of two replicas change while the API server calls them all the time. */
export function certificateRotationCase(cluster: () => Cluster): void {
  it(`rotate their certificates ${rotations} times without a failed request`, { timeout: 120_000 }, async () => {
    const { client } = cluster();
    const namespace = 'rotation';
    await client.create(kinds.Namespace, { metadata: { name: namespace } });
    await client.create(kinds.CustomResourceDefinition, definition as never);
    await expect.poll(() => client.list(Gear).catch(String), { timeout: 20_000 }).toMatchObject({ items: [] });

    const { port, replicas } = await startService();
    const url = `https://127.0.0.1:${port}`;
    const service = { namespace, name: 'hooks' };
    const options = { client, webhooks, service, host: '127.0.0.1', port: 0, url, ...times };
    await using one = await WebhookService.start(options);
    await using two = await WebhookService.start(options);
    replicas.push(one.port, two.port);
    const create = async (name: string) => {
      const created = await client.create(OldGear, { metadata: { namespace, name }, spec: {} });
      expect(created.spec).toEqual({ cogs: 12 });
    };
    // Real servers take a moment until they have heard of a configuration.
    await expect.poll(() => create(`first-${performance.now()}`).catch(String), { timeout: 20_000 }).toBeUndefined();

    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const seen = new Set<string>();
    const callers = Array.from({ length: clients }, (_, caller) =>
      repeat(stop.signal, (round) => create(`gear-${caller}-${round}`)),
    );
    const newcomer = repeat(stop.signal, async () => seen.add(await connectAnew(client, port)));
    await expect.poll(() => seen.size, { timeout: 90_000 }).toBeGreaterThan(rotations);
    stop.abort();
    const results = await Promise.all([...callers, newcomer]);
    expect(results.flatMap(({ failures }) => failures)).toEqual([]);
    expect(Math.min(...results.map(({ done }) => done))).toBeGreaterThan(rotations);
    expect([one.health().healthy, two.health().healthy]).toEqual([true, true]);
    await client.delete(kinds.MutatingWebhookConfiguration, { name: 'defaults.rotation.tektite.dev' });
  });
}
