import { Agent, request as send } from 'node:https';
import { createServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { kinds, mergePatch } from '@tektite/client';
import { customResourceDefinition, defineKind, s } from '@tektite/schema';
import { type ControlPlane, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { conversion, spoke } from './conversion.ts';
import { conversionWebhook } from './conversion-webhook.ts';
import { defaulting, defaultingWebhook } from './defaulting-webhook.ts';
import { LocalWebhookService } from './local-webhook-service.ts';
import { validating, validatingWebhook } from './validating-webhook.ts';
import { WebhookService, type WebhookServiceOptions } from './webhook-service.ts';

const day = 24 * 60 * 60 * 1000;
const Thing = defineKind({ group: 'g.example.com', version: 'v1', kind: 'Thing', fields: { spec: s.object({}) } });
const OldThing = defineKind({ group: 'g.example.com', version: 'v0', kind: 'Thing', fields: { spec: s.object({}) } });
const webhooks = [
  defaultingWebhook({
    name: 'defaulting.g.example.com',
    path: '/defaulting',
    rules: [defaulting(Thing, () => undefined, { subresources: ['status'] })],
  }),
  validatingWebhook({
    name: 'validation.g.example.com',
    rules: [validating(Thing, () => undefined), validating(OldThing, () => undefined, { operations: ['DELETE'] })],
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
    namespaceSelector: { matchLabels: { a: 'b' } },
  }),
  conversionWebhook({
    rules: [
      conversion({
        hub: Thing,
        spokes: [spoke(OldThing, Thing, { toHub: (object) => object, fromHub: (object) => object })],
      }),
    ],
  }),
];

let clock: VirtualClock;
let plane: ControlPlane;
let errors: Error[];

beforeEach(async () => {
  clock = virtualClock(Date.now());
  plane = await startControlPlane({ clock });
  errors = [];
  await plane.client.create(kinds.CustomResourceDefinition, customResourceDefinition([Thing, OldThing]) as never);
});

afterEach(async () => {
  await plane.close();
  expect(clock.pendingTimers).toBe(0);
});

const options = (more: Partial<WebhookServiceOptions> = {}): WebhookServiceOptions => ({
  client: plane.client,
  webhooks,
  service: { namespace: 'default', name: 'hook' },
  host: '127.0.0.1',
  port: 0,
  onError: (error) => errors.push(error),
  ...more,
});

const text = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString();
const mutating = () => plane.client.get(kinds.MutatingWebhookConfiguration, { name: 'defaulting.g.example.com' });
const validation = () => plane.client.get(kinds.ValidatingWebhookConfiguration, { name: 'validation.g.example.com' });
const definition = () => plane.client.get(kinds.CustomResourceDefinition, { name: 'things.g.example.com' });
const stored = () => plane.client.get(kinds.Secret, { namespace: 'default', name: 'hook-certs' });

/** The certificate that a new connection is shown. */
function shown(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ rejectUnauthorized: false });
    const outgoing = send({ host: '127.0.0.1', port, path: '/healthz', agent }, (response) => {
      resolve((response.socket as TLSSocket).getPeerX509Certificate()?.toString() ?? '');
      response.resume();
      response.on('end', () => agent.destroy());
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

describe('webhooks of a cluster', () => {
  test('are registered at the API server, with all settings', async () => {
    await using service = await WebhookService.start(options());
    const authorities = text((await stored()).data?.['ca-cert.pem']);
    const [entry] = (await mutating()).webhooks ?? [];
    expect(entry).toMatchObject({
      name: 'defaulting.g.example.com',
      clientConfig: { service: { namespace: 'default', name: 'hook', path: '/defaulting', port: 443 } },
      rules: [
        {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: ['g.example.com'],
          apiVersions: ['v1'],
          resources: ['things', 'things/status'],
          scope: 'Namespaced',
        },
      ],
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      reinvocationPolicy: 'IfNeeded',
      timeoutSeconds: 10,
    });
    expect(text(entry?.clientConfig.caBundle)).toBe(authorities);
    const [second] = (await validation()).webhooks ?? [];
    expect(second).toMatchObject({
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
      namespaceSelector: { matchLabels: { a: 'b' } },
      rules: [{ apiVersions: ['v0'], operations: ['DELETE'] }, { apiVersions: ['v1'] }],
    });
    const { conversion: written } = (await definition()).spec;
    expect(written).toMatchObject({
      strategy: 'Webhook',
      webhook: { clientConfig: { service: { path: '/resource-conversion/g.example.com' } } },
    });
    expect(text(written?.webhook?.clientConfig?.caBundle)).toBe(authorities);
    expect(service.health()).toMatchObject({ healthy: true, registered: true, lastError: undefined });
  });

  test('are written only when something is different, and corrected when another client changed them', async () => {
    await using _ = await WebhookService.start(options());
    const versions = async () =>
      [await mutating(), await validation(), await definition(), await stored()].map(
        ({ metadata }) => metadata.resourceVersion,
      );
    const before = await versions();
    await clock.advance(10 * 60_000);
    expect(await versions()).toEqual(before);

    const { webhooks: entries = [], ...rest } = await mutating();
    const foreign = { ...entries[0], name: 'other.g.example.com' };
    const broken = { ...entries[0], rules: [], objectSelector: { matchLabels: { keep: 'me' } } };
    await plane.client.update(kinds.MutatingWebhookConfiguration, { ...rest, webhooks: [foreign, broken] } as never);
    await plane.client.delete(kinds.ValidatingWebhookConfiguration, { name: 'validation.g.example.com' });
    await clock.advance(61_000);
    await expect.poll(async () => (await validation()).webhooks).toHaveLength(1);
    const repaired = (await mutating()).webhooks ?? [];
    expect(repaired.map(({ name }) => name)).toEqual(['other.g.example.com', 'defaulting.g.example.com']);
    expect(repaired[1]).toMatchObject({
      rules: [{ apiVersions: ['v1'] }],
      objectSelector: { matchLabels: { keep: 'me' } },
    });
  });

  test('change their certificate only after the API server trusts the new authority', async () => {
    await using service = await WebhookService.start(
      options({ validForMs: 30 * day, settleMs: 2 * day, checkEveryMs: day / 4 }),
    );
    const before = await shown(service.port);
    const trustedBefore = text((await mutating()).webhooks?.[0]?.clientConfig.caBundle);
    await clock.advance(19 * day);
    expect(await shown(service.port)).toBe(before);

    // The new one is written: the old one is still shown, and both are trusted.
    await clock.advance(1.5 * day);
    const bundle = async () => text((await mutating()).webhooks?.[0]?.clientConfig.caBundle);
    await expect.poll(bundle).not.toBe(trustedBefore);
    const trusted = await bundle();
    expect(trusted).toContain(trustedBefore);
    expect(trusted.length).toBeGreaterThan(trustedBefore.length);
    expect(text((await definition()).spec.conversion?.webhook?.clientConfig?.caBundle)).toBe(trusted);
    expect(await shown(service.port)).toBe(before);
    await clock.advance(2.5 * day);
    const isNew = async () => (await shown(service.port)) === text((await stored()).data?.['server-cert.pem']);
    await expect.poll(isNew).toBe(true);
    expect(service.health()).toMatchObject({ healthy: true });
    expect(errors).toEqual([]);
  });

  test('wait again when a replica that was late wrote the former authorities', async () => {
    await using service = await WebhookService.start(
      options({ validForMs: 30 * day, settleMs: 2 * day, checkEveryMs: day / 4 }),
    );
    const before = await shown(service.port);
    const { clientConfig: former } = (await mutating()).webhooks?.[0] ?? {};
    const bundle = async () => (await mutating()).webhooks?.[0]?.clientConfig.caBundle;
    await clock.advance(20.5 * day);
    await expect.poll(bundle).not.toBe(former?.caBundle);
    const trusted = await bundle();
    const { webhooks: [entry] = [], ...rest } = await mutating();
    const late = { ...rest, webhooks: [{ ...entry, clientConfig: former }] };
    await plane.client.update(kinds.MutatingWebhookConfiguration, late as never);
    await clock.advance(2 * day);
    await expect.poll(bundle).toBe(trusted);
    expect(await shown(service.port)).toBe(before);
    await clock.advance(2 * day);
    await expect.poll(() => shown(service.port)).not.toBe(before);
  });

  test('keep their certificate while the registration fails, and report it', async () => {
    const stuck = plane.clientFor({ name: 'hook', groups: ['system:authenticated'] });
    const rights = { metadata: { name: 'hook' }, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }] };
    await plane.client.create(kinds.ClusterRole, rights);
    await plane.client.create(kinds.ClusterRoleBinding, {
      metadata: { name: 'hook' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'hook' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'hook' }],
    });
    await using service = await WebhookService.start(options({ client: stuck }));
    expect(service.health()).toMatchObject({ healthy: false, registered: false });
    expect(errors[0]).toMatchObject({
      code: 'REGISTRATION_FAILED',
      message: expect.stringContaining('forbidden') as string,
    });
    const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    await plane.client.patch(kinds.ClusterRole, { name: 'hook' }, mergePatch({ rules: all }));
    await clock.advance(61_000);
    await expect.poll(() => service.health()).toMatchObject({ healthy: true, registered: true });
  });

  test('come as a pair of replicas with one certificate', async () => {
    await using one = await WebhookService.start(options());
    await using two = await WebhookService.start(options());
    expect(await shown(one.port)).toBe(await shown(two.port));
  });

  test('leave nothing behind when they cannot start', async () => {
    const blocker = createServer();
    const port = await new Promise<number>((resolve) => {
      blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port));
    });
    await expect(WebhookService.start(options({ port }))).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(WebhookService.start(options(), AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    await new Promise((resolve) => {
      blocker.close(resolve);
    });
  });
});

describe('webhooks of the same process', () => {
  test('can be served once at a time, and again when they were stopped', async () => {
    const local = { client: plane.client, webhooks, service: { namespace: 'default', name: 'hook' } };
    const host = plane.server.localWebhooks;
    const first = await LocalWebhookService.start({ ...local, host });
    await expect(LocalWebhookService.start({ ...local, host })).rejects.toThrow('has webhooks in this process already');
    expect((await mutating()).webhooks?.[0]?.clientConfig).not.toHaveProperty('caBundle');
    await first.stop();
    await using _ = await LocalWebhookService.start({ ...local, host });
  });

  test('are corrected when another client changed them, and report what failed', async () => {
    await using service = await LocalWebhookService.start({
      client: plane.client,
      webhooks,
      service: { namespace: 'default', name: 'hook' },
      host: plane.server.localWebhooks,
      onError: (error) => errors.push(error),
    });
    await plane.client.delete(kinds.ValidatingWebhookConfiguration, { name: 'validation.g.example.com' });
    await plane.client.delete(kinds.CustomResourceDefinition, { name: 'things.g.example.com' });
    await clock.advance(61_000);
    await expect.poll(async () => (await validation()).webhooks).toHaveLength(1);
    await expect.poll(() => service.health().healthy).toBe(false);
    expect(errors[0]).toMatchObject({ code: 'REGISTRATION_FAILED' });
  });
});
