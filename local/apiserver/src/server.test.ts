import type { KubeObject } from '@tektite/meta';
import { expect, test } from 'vitest';
import { ApiServer } from './server.ts';

const user = { name: 'admin', groups: ['system:masters'] };

const definition = (shortName: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things', shortNames: [shortName] },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

test('a kind that the program defines itself is served, and stays as it is when it is defined again', async () => {
  const api = await ApiServer.create();
  const ask = async (method: string, path: string, body: object = {}) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await api.handle({ method, path, query: new URLSearchParams(), headers, user, body });
    return (answer as { object?: unknown }).object as KubeObject & { readonly status?: unknown };
  };
  await api.define(definition('t'));
  await api.define(definition('other'));
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com';
  await expect
    .poll(async () => (await ask('GET', path)).status)
    .toMatchObject({ acceptedNames: { shortNames: ['t'] }, storedVersions: ['v1'] });
  const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } };
  expect(await ask('POST', '/apis/example.com/v1/namespaces/default/things', thing)).toMatchObject(thing);
  await api.close();
});
