import { kinds } from '@tektite/client';
import { defineKind, s } from '@tektite/schema';
import { describe, expect, it } from 'vitest';
import { defineController } from '../reconcile/controller-definition.ts';
import { every } from '../reconcile/every.ts';
import { cached, owned } from '../reconcile/watch-source.ts';
import { conversion, spoke } from '../webhook/conversion.ts';
import { conversionWebhook } from '../webhook/conversion-webhook.ts';
import { validating, validatingWebhook } from '../webhook/validating-webhook.ts';
import { clusterRoleFor } from './cluster-role.ts';
import { namespaceRoleFor } from './namespace-role.ts';
import type { System } from './system.ts';

const group = 'example.com';
const plain = defineKind({ group, version: 'v1', kind: 'Plain', fields: {} });
const Widget = defineKind({ group, version: 'v1', kind: 'Widget', fields: { status: s.object({}).optional() } });
const older = defineKind({ group, version: 'v1beta1', kind: 'Widget', fields: { status: s.object({}).optional() } });
const reconcile = () => undefined;
const system = (more: Partial<System>): System => ({ name: 'widgets', kinds: [], controllers: [], ...more });
const events = { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] };
const leases = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['create', 'get', 'list', 'update', 'watch'],
};

describe('the role of a system', () => {
  it('follows what its controllers watch, each kind once, may be the owner of some of it, and records Events', () => {
    const controllers = [
      defineController({ name: 'a', kind: plain, sources: [owned(kinds.Pod), every(1000)], reconcile }),
      defineController({ name: 'b', kind: plain, sources: [cached(kinds.Pod), owned(kinds.Deployment)], reconcile }),
    ];
    expect(clusterRoleFor(system({ controllers }))).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'tektite-widgets' },
      rules: [
        { apiGroups: [group], resources: ['plains'], verbs: ['list', 'watch'] },
        { apiGroups: [group], resources: ['plains/finalizers'], verbs: ['update'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] },
        events,
      ],
    });
  });

  it('writes status where the kind has one, and finalizers where the controller has one', () => {
    const finalizer = { name: 'example.com/f', cleanup: reconcile };
    const controllers = [defineController({ name: 'a', kind: Widget, finalizer, reconcile })];
    expect(clusterRoleFor(system({ controllers })).rules).toEqual([
      { apiGroups: [group], resources: ['widgets'], verbs: ['list', 'patch', 'watch'] },
      { apiGroups: [group], resources: ['widgets/status'], verbs: ['patch'] },
      events,
    ]);
  });

  it('has what the system says it needs besides, and the name it is given', () => {
    const permissions = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['patch'] }];
    const role = clusterRoleFor(system({ permissions }), 'mine');
    expect(role).toMatchObject({ metadata: { name: 'mine' }, rules: [events, ...permissions] });
  });

  it('changes no webhooks and definitions but its own', () => {
    const webhooks = [
      validatingWebhook({ name: 'check.example.com', rules: [validating(Widget, () => undefined)] }),
      conversionWebhook({
        rules: [
          conversion({
            hub: Widget,
            spokes: [spoke(older, Widget, { toHub: (it) => it as never, fromHub: (it) => it as never })],
          }),
        ],
      }),
    ];
    const registration = {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations'],
    };
    expect(clusterRoleFor(system({ webhooks })).rules).toEqual([
      events,
      { ...registration, verbs: ['create'] },
      { ...registration, resourceNames: ['check.example.com'], verbs: ['get', 'update'] },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        resourceNames: ['widgets.example.com'],
        verbs: ['get', 'patch'],
      },
    ]);
  });
});

describe('the role in the namespace of its processes', () => {
  it('holds Leases', () => {
    expect(namespaceRoleFor(system({}), { namespace: 'ops' })).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'tektite-widgets', namespace: 'ops' },
      rules: [leases],
    });
  });

  it('keeps the certificate of webhooks, in one Secret and no other', () => {
    const webhooks = [validatingWebhook({ name: 'check.example.com', rules: [validating(Widget, () => undefined)] })];
    expect(namespaceRoleFor(system({ webhooks }), { namespace: 'ops', webhookService: 'hook' }).rules).toEqual([
      leases,
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['hook-certs'], verbs: ['get', 'update'] },
    ]);
  });
});
