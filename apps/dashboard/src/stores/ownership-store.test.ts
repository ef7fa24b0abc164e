import { startControlPlane } from '@tektite/testkit';
import type { DynamicObject } from '@tektite/meta';
import { expect, it } from 'vitest';
import { transportApi } from '../test-support.ts';
import { DiscoveryStore } from './discovery-store.ts';
import { type OwnedNode, OwnershipStore } from './ownership-store.ts';

const text = ({ kind, name, isSelf, isMissing, owned }: OwnedNode): string =>
  `${kind}/${name}${isSelf ? '*' : ''}${isMissing ? '?' : ''}${owned.length > 0 ? ` [${owned.map(text).join(' ')}]` : ''}`;

it('shows the owners of an object and all that they own', async () => {
  await using plane = await startControlPlane();
  const make = async (kind: string, name: string, ...owners: readonly DynamicObject[]) => {
    const ownerReferences = owners.map(({ apiVersion, kind: of, metadata }) => ({
      apiVersion,
      kind: of,
      name: metadata.name ?? '',
      uid: metadata.uid ?? '',
    }));
    const metadata = { namespace: 'default', name, ownerReferences };
    return plane.client.create({ apiVersion: 'v1', kind, metadata } as DynamicObject);
  };
  const top = await make('ConfigMap', 'top');
  const middle = await make('Secret', 'middle', top);
  await make('ServiceAccount', 'sibling', top);
  await make('ConfigMap', 'leaf', middle);
  await make('ConfigMap', 'other');
  const api = transportApi(plane.transport());
  const store = new OwnershipStore(api, new DiscoveryStore(api));
  await store.load(middle);
  expect(store.roots.value?.map(text)).toEqual([
    'ConfigMap/top [Secret/middle* [ConfigMap/leaf] ServiceAccount/sibling]',
  ]);
  const gone = { apiVersion: 'example.com/v1', kind: 'Gone', metadata: { name: 'gone', uid: 'x' } };
  await store.load(await make('ConfigMap', 'orphan', gone, middle));
  expect(store.roots.value?.map(text)).toEqual([
    'Gone/gone? [ConfigMap/orphan*]',
    'ConfigMap/top [Secret/middle [ConfigMap/leaf ConfigMap/orphan*] ServiceAccount/sibling]',
  ]);
});
