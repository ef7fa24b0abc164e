import type { DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { Manifest, type Transform } from '../manifest.ts';
import { byKind } from '../predicate.ts';
import { configMap, definition, deployment, manifestOf, widget, yaml } from '../test-support.ts';
import { knownScopes } from '../scopes.ts';
import { replaceImages, rewriteImages } from './images.ts';
import { injectNamespace } from './inject-namespace.ts';
import { injectOwner } from './inject-owner.ts';
import { patchObjects, setReplicas } from './patch-objects.ts';
import { setAnnotations, setLabels } from './set-metadata.ts';

const change = (object: DynamicObject, ...transforms: readonly Transform[]) =>
  Manifest.of([object]).transform(...transforms).objects[0] as DynamicObject;

describe('a manifest', () => {
  it('is never changed: transforms work on copies, and what comes out is frozen', () => {
    const before = manifestOf(configMap('a'));
    const after = before.transform((draft) => {
      draft.metadata.name = 'b';
    });
    expect(before.objects[0]?.metadata.name).toBe('a');
    expect(after.objects[0]?.metadata.name).toBe('b');
    expect(Object.isFrozen(after.objects[0]?.metadata)).toBe(true);
  });

  it('skips transforms that are left out, and reports which one failed on what', () => {
    function explode(): void {
      throw new Error('no');
    }
    expect(manifestOf(configMap('a')).transform(undefined).size).toBe(1);
    const broken = () =>
      yaml('apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ns}').transform(undefined, explode);
    expect(broken).toThrow('test.yaml:1: secret ns/s: explode: no');
  });
});

describe('injectNamespace', () => {
  const inject = injectNamespace('ci');
  const bound = { kind: 'RoleBinding', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'b' } };

  it('moves what is in namespaces, renames Namespaces, and leaves other cluster-scoped kinds where they are', () => {
    expect(change(configMap('a'), inject).metadata.namespace).toBe('ci');
    expect(change({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } }, inject).metadata).toEqual({
      name: 'ci',
    });
    for (const kind of ['IngressClass', 'ClusterRole', 'CustomResourceDefinition', 'PriorityClass']) {
      const apiVersion = {
        IngressClass: 'networking.k8s.io/v1',
        ClusterRole: 'rbac.authorization.k8s.io/v1',
        CustomResourceDefinition: 'apiextensions.k8s.io/v1',
        PriorityClass: 'scheduling.k8s.io/v1',
      }[kind] as string;
      expect(change({ apiVersion, kind, metadata: { name: 'x' } }, inject).metadata.namespace).toBeUndefined();
    }
  });

  it('moves what refers to a namespace, where one is named', () => {
    const subjects = [
      { kind: 'ServiceAccount', name: 'a', namespace: 'x' },
      { kind: 'User', name: 'u' },
    ];
    expect(change({ ...bound, subjects }, inject).subjects).toEqual([
      { kind: 'ServiceAccount', name: 'a', namespace: 'ci' },
      { kind: 'User', name: 'u' },
    ]);
    const webhooks = [
      { clientConfig: { service: { name: 's', namespace: 'x' } } },
      { clientConfig: { url: 'https://x' } },
    ];
    const hook = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'h' },
    };
    expect(change({ ...hook, webhooks }, inject).webhooks).toEqual([
      { clientConfig: { service: { name: 's', namespace: 'ci' } } },
      { clientConfig: { url: 'https://x' } },
    ]);
    const crd = definition();
    const conversion = { strategy: 'Webhook', webhook: { clientConfig: { service: { namespace: 'x', name: 's' } } } };
    expect(change({ ...crd, spec: { ...(crd.spec as object), conversion } }, inject)).toMatchObject({
      spec: { conversion: { webhook: { clientConfig: { service: { namespace: 'ci' } } } } },
    });
    const api = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'v1.x' } };
    expect(change({ ...api, spec: { service: { namespace: 'x' } } }, inject)).toMatchObject({
      spec: { service: { namespace: 'ci' } },
    });
  });

  it('bears bindings without subjects and webhooks without any, reads variables, and leaves alone what asks for it', () => {
    expect(() => change(bound, inject)).not.toThrow();
    const fromEnvironment = injectNamespace('$WHERE', { environment: { WHERE: 'there' } });
    expect(change(configMap('a'), fromEnvironment).metadata.namespace).toBe('there');
    const marked = { ...configMap('a'), metadata: { name: 'a', namespace: 'x', annotations: { stay: '' } } };
    expect(change(marked, injectNamespace('ci', { skipAnnotation: 'stay' })).metadata.namespace).toBe('x');
  });
});

describe('injectOwner', () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'o', namespace: 'default', uid: 'u' } };

  it('makes one controller of what it may own, and leaves the rest alone or refuses it', () => {
    const reference = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'o',
      uid: 'u',
      controller: true,
      blockOwnerDeletion: true,
    };
    expect(change(configMap('a'), injectOwner({ owner })).metadata.ownerReferences).toEqual([reference]);
    expect(change(definition(), injectOwner({ owner })).metadata.ownerReferences).toBeUndefined();
    expect(() => change(definition(), injectOwner({ owner, violations: 'refuse' }))).toThrow('cannot own');
    expect(
      change(configMap('a'), injectOwner({ owner, exclude: ['ConfigMap'] })).metadata.ownerReferences,
    ).toBeUndefined();
    const cluster = { ...owner, metadata: { name: 'o', uid: 'u' } };
    expect(change(definition(), injectOwner({ owner: cluster })).metadata.ownerReferences).toHaveLength(1);
  });
});

describe('images', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  it.each([
    ['ghcr.io/a/b:1', 'r.example.com/m/a/b:1'],
    [`ghcr.io/a/b:1@${digest}`, `r.example.com/m/a/b:1@${digest}`],
    ['a/b:1', 'r.example.com/m/a/b:1'],
    ['nginx:1', 'r.example.com/m/nginx:1'],
    ['localhost/a', 'r.example.com/m/a'],
    ['host:5000/a/b', 'r.example.com/m/a/b'],
    ['r.example.com/m/a:1', 'r.example.com/m/a:1'],
    ['', ''],
    ['$(IMAGE)', '$(IMAGE)'],
    ['{{ .Values.image }}', '{{ .Values.image }}'],
  ])('%s comes from the registry as %s', (image, expected) => {
    const after = change(deployment('web', image), rewriteImages('r.example.com/m'));
    expect(after).toMatchObject({ spec: { template: { spec: { containers: [{ image: expected }] } } } });
  });

  it('are reported with their container if invalid, and further fields can be named', () => {
    expect(() => change(deployment('web', 'not an image'), rewriteImages('r'))).toThrow('InvalidImage');
    const helper = {
      ...configMap('c', { 'helper-image': 'ghcr.io/a:1' }),
      metadata: { name: 'c', annotations: { 'cpaas.io/image-paths': 'data.helper-image' } },
    };
    expect(change(helper, rewriteImages('r.example.com')).data).toEqual({ 'helper-image': 'r.example.com/a:1' });
  });

  it('are replaced by name, whatever their tag', () => {
    const after = change(deployment('web', 'ghcr.io/a/web:3'), replaceImages({ 'ghcr.io/a/web': 'local/web:dev' }));
    expect(after).toMatchObject({ spec: { template: { spec: { containers: [{ image: 'local/web:dev' }] } } } });
  });
});

describe('labels, replicas and patches', () => {
  it('reach templates and selectors where that is asked for', () => {
    const after = change(
      deployment('web'),
      setLabels({ team: 'a' }, { includeSelectors: true }),
      setAnnotations({ x: 'y' }),
    );
    expect(after).toMatchObject({
      metadata: { labels: { team: 'a' }, annotations: { x: 'y' } },
      spec: {
        selector: { matchLabels: { app: 'web', team: 'a' } },
        template: { metadata: { labels: { app: 'web', team: 'a' } } },
      },
    });
    expect(change(deployment('web'), setLabels({ team: 'a' }))).not.toMatchObject({
      spec: { selector: { matchLabels: { team: 'a' } } },
    });
  });

  it('merge lists of built-in kinds by their keys, and replace them elsewhere', () => {
    const patch = { spec: { template: { spec: { containers: [{ name: 'side', image: 's:1' }] } } } };
    const after = change(deployment('web'), patchObjects(byKind('Deployment'), { type: 'strategic', patch }));
    const containers = (after.spec as { template: { spec: { containers: { name: string }[] } } }).template.spec
      .containers;
    expect(containers.map(({ name }) => name).sort()).toEqual(['side', 'web']);
    const custom = change(
      widget('w', { list: [1, 2] }),
      patchObjects(byKind('Widget'), { type: 'strategic', patch: { spec: { list: [3] } } }),
    );
    expect(custom.spec).toEqual({ list: [3] });
    const json = patchObjects(byKind('Deployment'), {
      type: 'json',
      patch: [{ op: 'remove', path: '/spec/replicas' }],
    });
    expect(change(deployment('web'), json).spec).not.toHaveProperty('replicas');
    expect(change(deployment('web'), setReplicas(byKind('Deployment'), 4)).spec).toMatchObject({ replicas: 4 });
  });
});

describe('scopes', () => {
  it('are known for kinds that the manifest defines', () => {
    expect(knownScopes(manifestOf(definition())).of(widget('w'))).toBe('Namespaced');
    expect(knownScopes().of(widget('w'))).toBeUndefined();
  });
});
