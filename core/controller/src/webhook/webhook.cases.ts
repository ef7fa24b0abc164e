import { type Client, kinds } from '@tektite/client';
import { forbiddenError, invalid, isStatusError, type KubeObject, type StatusError } from '@tektite/meta';
import { defineKind, type ObjectOf, s } from '@tektite/schema';
import type { Cluster } from '@tektite/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { enumField } from '../config/config-fields.ts';
import { configKey, defineConfig } from '../config/define-config.ts';
import type { AdmissionContext } from './admission-webhook.ts';
import { certificateRotationCase } from './certificate-rotation.cases.ts';
import { configMapWebhook } from './config-map-webhook.ts';
import { conversion, spoke } from './conversion.ts';
import { conversionWebhook } from './conversion-webhook.ts';
import { defaulting, defaultingWebhook } from './defaulting-webhook.ts';
import { invalidValue, missingField } from '../field-errors/field-error-kinds.ts';
import type { Webhook } from './review-handler.ts';
import { validating, validatingWebhook } from './validating-webhook.ts';

/** Where webhooks are called: which server, and over which way. */
export interface WebhookPlace {
  readonly name: string;
  start(): Promise<Cluster>;
  /** Serves and registers webhooks, under a Service of that namespace. */
  serve(cluster: Cluster, namespace: string, webhooks: readonly Webhook[]): Promise<AsyncDisposable>;
  /** Whether the server calls them over HTTPS, with certificates. */
  readonly isRemote?: boolean;
}

const fields = {
  spec: s.object({
    image: s.string().optional(),
    size: s.integer().optional(),
    tags: s.list(s.string()).optional(),
  }),
  status: s.object({ ready: s.boolean().optional() }).optional(),
};
const names = { group: 'cases.tektite.dev', kind: 'Widget' } as const;
const Widget = defineKind({ ...names, version: 'v1', fields });
type Widget = ObjectOf<typeof Widget>;
const OldWidget = defineKind({
  ...names,
  version: 'v1beta1',
  fields: { spec: s.object({ picture: s.string().optional() }) },
});

/** Like Tekton's: the server knows nothing of the fields, so everything reaches the webhooks. */
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
const definition = {
  metadata: { name: 'widgets.cases.tektite.dev' },
  spec: {
    group: names.group,
    scope: 'Namespaced' as const,
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: ['v1', 'v1beta1'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: open },
      subresources: { status: {} },
    })),
  },
};

/** Cases of webhooks, wherever they run: each place calls this with its way of serving them. */
export function webhookCases(place: WebhookPlace): void {
  describe(`webhooks ${place.name}`, { timeout: 60_000 }, () => {
    let cluster: Cluster;
    let client: Client;
    let namespace: string;
    let served: AsyncDisposable | undefined;
    let warnings: string[];
    let count = 0;

    beforeAll(async () => {
      cluster = await place.start();
      await cluster.client.create(kinds.CustomResourceDefinition, definition as never);
      await vi.waitFor(() => cluster.client.list(Widget), { timeout: 20_000 });
    }, 120_000);

    afterAll(async () => {
      await cluster.close();
    });

    beforeEach(async () => {
      namespace = `case-${++count}`;
      warnings = [];
      client = cluster.clientFor(cluster.transport(), { onWarning: (text) => warnings.push(text) });
      await client.create(kinds.Namespace, { metadata: { name: namespace, labels: { case: namespace } } });
    });

    afterEach(async () => {
      for (const kind of [kinds.MutatingWebhookConfiguration, kinds.ValidatingWebhookConfiguration])
        for (const { metadata } of (await client.list<KubeObject>(kind as never)).items)
          await client.delete(kind as never, { name: metadata.name ?? '' });
      await served?.[Symbol.asyncDispose]();
      served = undefined;
    });

    /** Only this case's namespace. */
    const here = () => ({ namespaceSelector: { matchLabels: { case: namespace } } });
    const serve = async (...webhooks: Webhook[]) => {
      served = await place.serve(cluster, namespace, webhooks);
    };
    const widget = (spec: unknown, name = 'w') => ({ metadata: { namespace, name }, spec }) as Widget;
    const tryCreate = (spec: unknown) => client.create(Widget, widget(spec), { dryRun: true });
    const denialOf = (spec: unknown): Promise<StatusError> =>
      tryCreate(spec).then(
        () => Promise.reject(new Error('was not refused')),
        (error: unknown) => (isStatusError(error) ? error : Promise.reject(error as Error)),
      );
    /** Real servers take a moment until they have heard of a configuration. */
    const eventually = <T>(work: () => Promise<T>) => vi.waitFor(work, { timeout: 20_000, interval: 50 });

    const withImage = defaulting(Widget, (object) =>
      object.spec.image === undefined ? { ...object, spec: { ...object.spec, image: 'default' } } : undefined,
    );
    const needSize = validating(Widget, ({ spec }) =>
      spec.size === undefined ? missingField('spec.size') : undefined,
    );

    it('fill in what is missing, at creation and at every change', async () => {
      await serve(defaultingWebhook({ name: 'defaults.cases.tektite.dev', rules: [withImage], ...here() }));
      await eventually(async () => expect((await tryCreate({})).spec).toEqual({ image: 'default' }));
      expect((await tryCreate({ image: 'mine', size: 2 })).spec).toEqual({ image: 'mine', size: 2 });
      const created = await client.create(Widget, widget({}));
      const updated = await client.update(Widget, { ...created, spec: { size: 1 } });
      expect(updated.spec).toEqual({ image: 'default', size: 1 });
    });

    it('refuse with the name of the webhook and the path of the field', async () => {
      await serve(validatingWebhook({ name: 'validation.cases.tektite.dev', rules: [needSize], ...here() }));
      await eventually(async () => {
        const { status } = await denialOf({});
        expect(status).toMatchObject({
          code: 400,
          reason: 'BadRequest',
          message:
            'admission webhook "validation.cases.tektite.dev" denied the request: validation failed: missing field(s): spec.size',
        });
      });
      await expect(tryCreate({ size: 1 })).resolves.toBeDefined();
    });

    it('refuse in the words of Kubernetes, with causes, if they speak that way', async () => {
      const check = validating(Widget, ({ spec }) => [invalid('spec.size', spec.size, 'must be even')]);
      await serve(validatingWebhook({ name: 'even.cases.tektite.dev', rules: [check], ...here() }));
      await eventually(async () => {
        const { status } = await denialOf({ size: 1 });
        expect(status.message).toBe(
          'admission webhook "even.cases.tektite.dev" denied the request: Widget.cases.tektite.dev "w" is invalid: spec.size: Invalid value: 1: must be even',
        );
        expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
        expect(status.details?.causes).toEqual([
          { reason: 'FieldValueInvalid', field: 'spec.size', message: 'Invalid value: 1: must be even' },
        ]);
      });
    });

    it('see the defaults that came before, and warn without refusing', async () => {
      const check = validating(Widget, ({ spec }) =>
        invalidValue(spec.image, 'spec.image', 'one', 'two').at('warning'),
      );
      await serve(
        defaultingWebhook({ name: 'defaults.cases.tektite.dev', rules: [withImage], ...here() }),
        validatingWebhook({ name: 'warning.cases.tektite.dev', rules: [check], ...here() }),
      );
      await eventually(async () => {
        warnings.length = 0;
        await tryCreate({});
        expect(warnings).toEqual(['invalid value: default: spec.image', 'one, two']);
      });
    });

    it('receive the old object, the user, and whether it is a dry run', async () => {
      const seen: (Omit<AdmissionContext<Widget>, 'signal'> & { size: unknown })[] = [];
      const check = validating(
        Widget,
        (object, { signal: _, ...context }) => {
          expect(Object.isFrozen(object) && Object.isFrozen(object.spec)).toBe(true);
          seen.push({ ...context, size: object.spec.size });
          return undefined;
        },
        { operations: ['CREATE', 'UPDATE', 'DELETE'], subresources: ['status'] },
      );
      await serve(validatingWebhook({ name: 'watching.cases.tektite.dev', rules: [check], ...here() }));
      await eventually(async () => {
        await tryCreate({ size: 1 });
        expect(seen.length).toBeGreaterThan(0);
      });
      expect(seen[0]).toMatchObject({ operation: 'CREATE', old: undefined, dryRun: true, subresource: '', size: 1 });
      seen.length = 0;
      const created = await client.create(Widget, widget({ size: 1 }));
      const updated = await client.update(Widget, { ...created, spec: { size: 2 } });
      await client.updateStatus(Widget, { ...updated, status: { ready: true } });
      await client.delete(Widget, { namespace, name: 'w' });
      expect(
        seen.map(({ operation, subresource, dryRun, size, old }) => [
          operation,
          subresource,
          dryRun,
          size,
          old?.spec.size,
        ]),
      ).toEqual([
        ['CREATE', '', false, 1, undefined],
        ['UPDATE', '', false, 2, 1],
        ['UPDATE', 'status', false, 2, 2],
        ['DELETE', '', false, 2, 2],
      ]);
      expect(seen[0]?.userInfo.groups).toContain('system:masters');
    });

    it('refuse what is no object of the kind before their functions see it', async () => {
      await serve(
        defaultingWebhook({
          name: 'defaults.cases.tektite.dev',
          rules: [
            defaulting(Widget, (object) => object, {
              goNames: { 'spec.tags': { struct: 'WidgetSpec', type: '[]v1.Tag' } },
            }),
          ],
          ...here(),
        }),
      );
      await eventually(async () =>
        expect((await denialOf({ tags: {} })).message).toBe(
          'admission webhook "defaults.cases.tektite.dev" denied the request: mutation failed: cannot decode incoming new object: json: cannot unmarshal object into Go struct field WidgetSpec.spec.tags of type []v1.Tag',
        ),
      );
      expect((await denialOf({ size: 'big' })).message).toContain(
        'json: cannot unmarshal string into Go struct field Widget.spec.size of type int64',
      );
      await expect(tryCreate({ tags: null, unknown: 1 })).resolves.toBeDefined();
    });

    it('refuse unknown fields if they are strict', async () => {
      await serve(validatingWebhook({ name: 'strict.cases.tektite.dev', rules: [needSize], strict: true, ...here() }));
      await eventually(async () =>
        expect((await denialOf({ size: 1, colour: 'red' })).message).toBe(
          'admission webhook "strict.cases.tektite.dev" denied the request: decoding request failed: cannot decode incoming new object: json: unknown field "colour"',
        ),
      );
      await expect(tryCreate({ size: 1 })).resolves.toBeDefined();
    });

    it('may deny with a custom Status', async () => {
      const check = validating(Widget, () => {
        throw forbiddenError({ group: names.group, resource: 'widgets' }, 'w', 'not on Sundays');
      });
      await serve(validatingWebhook({ name: 'sunday.cases.tektite.dev', rules: [check], ...here() }));
      await eventually(async () => {
        const { status } = await denialOf({});
        expect(status.message).toBe(
          'admission webhook "sunday.cases.tektite.dev" denied the request: widgets.cases.tektite.dev "w" is forbidden: not on Sundays',
        );
        expect(status).toMatchObject({ code: 403, reason: 'Forbidden' });
      });
    });

    it('that throw are failures, which their policy may forgive, and others go on', async () => {
      const check = validating(Widget, ({ spec }) => {
        if (spec.size === 13) throw new Error('boom');
        return undefined;
      });
      await serve(
        validatingWebhook({ name: 'throwing.cases.tektite.dev', path: '/a', rules: [check], ...here() }),
        validatingWebhook({ name: 'needing.cases.tektite.dev', path: '/b', rules: [needSize], ...here() }),
        validatingWebhook({
          name: 'forgiven.cases.tektite.dev',
          path: '/c',
          rules: [check],
          failurePolicy: 'Ignore',
          ...here(),
        }),
      );
      await eventually(async () => {
        const error = await denialOf({ size: 13 });
        expect(error.code).toBe(500);
        expect(error.message).toMatch(
          /failed calling webhook "throwing\.cases\.tektite\.dev":.* webhook throwing\.cases\.tektite\.dev failed: boom/,
        );
      });
      await expect(tryCreate({ size: 1 })).resolves.toBeDefined();
      await eventually(async () => expect((await denialOf({})).message).toContain('needing.cases.tektite.dev'));
      await client.delete(kinds.ValidatingWebhookConfiguration, { name: 'throwing.cases.tektite.dev' });
      await eventually(() => tryCreate({ size: 13 }));
    });

    it('that never answer are given up on, and others go on', async () => {
      let signal: AbortSignal | undefined;
      const check = validating(Widget, ({ spec }, context) => {
        if (spec.size !== 13) return undefined;
        ({ signal } = context);
        return new Promise<undefined>(() => {});
      });
      await serve(
        validatingWebhook({ name: 'silent.cases.tektite.dev', rules: [check], timeoutSeconds: 1, ...here() }),
      );
      await eventually(async () => {
        const error = await denialOf({ size: 13 });
        expect(error.code).toBe(500);
        expect(error.message).toContain('failed calling webhook "silent.cases.tektite.dev":');
      });
      await expect.poll(() => signal?.aborted).toBe(true);
      await expect(tryCreate({ size: 1 })).resolves.toBeDefined();
    });

    it('deny ConfigMaps that cannot be parsed', async () => {
      const flags = defineConfig({
        name: 'flags',
        keys: { level: configKey('level', enumField('low', 'high'), 'low') },
      });
      await serve(configMapWebhook({ name: 'config.cases.tektite.dev', configs: [flags], ...here() }));
      const write = (name: string, data: Record<string, string>) =>
        client.create(kinds.ConfigMap, { metadata: { namespace, name }, data }, { dryRun: true });
      await eventually(() =>
        expect(write('flags', { level: 'middle' })).rejects.toMatchObject({
          message:
            'admission webhook "config.cases.tektite.dev" denied the request: validation failed: key "level": "middle" is none of "low", "high"',
        }),
      );
      await expect(write('flags', { level: 'high', _example: 'level: middle' })).resolves.toBeDefined();
      await expect(write('other', { level: 'middle' })).resolves.toBeDefined();
    });

    if (place.isRemote) certificateRotationCase(() => cluster);

    it('convert objects between versions', async () => {
      const rule = conversion({
        hub: Widget,
        spokes: [
          spoke(OldWidget, Widget, {
            toHub: ({ spec, ...rest }) => {
              if (spec.picture === 'broken') throw new Error('cannot read the picture');
              return { ...rest, spec: spec.picture === undefined ? {} : { image: spec.picture } };
            },
            fromHub: ({ spec, status: _, ...rest }) => ({
              ...rest,
              spec: spec.image === undefined ? {} : { picture: spec.image },
            }),
          }),
        ],
      });
      await serve(conversionWebhook({ rules: [rule] }));
      const old = (picture: string, name: string) => ({ metadata: { namespace, name }, spec: { picture } });
      await eventually(async () => {
        const created = await client.create(OldWidget, old('cat', 'dry'), { dryRun: true });
        expect(created.spec).toEqual({ picture: 'cat' });
        await expect(client.create(OldWidget, old('broken', 'dry'), { dryRun: true })).rejects.toThrow();
      });
      await client.create(OldWidget, old('cat', 'a'));
      await client.create(Widget, widget({ image: 'dog' }, 'b'));
      expect((await client.get(Widget, { namespace, name: 'a' })).spec).toEqual({ image: 'cat' });
      const list = await client.list(OldWidget, { namespace });
      expect(list.items.map(({ metadata, spec }) => [metadata.name, spec.picture])).toEqual([
        ['a', 'cat'],
        ['b', 'dog'],
      ]);
      await expect(client.create(OldWidget, old('broken', 'c'))).rejects.toThrow(
        'conversion webhook for cases.tektite.dev/v1beta1, Kind=Widget failed: conversion failed to version v1 for type [kind=Widget group=cases.tektite.dev version=v1beta1] -  cannot read the picture',
      );
    });
  });
}
