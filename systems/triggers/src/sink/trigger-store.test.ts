import { setImmediate as immediate } from 'node:timers/promises';
import { installKinds } from '@tektite/controller';
import { startControlPlane } from '@tektite/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { allKinds } from '../kinds/all-kinds.ts';
import { EventListener, type EventListenerObject } from '../kinds/event-listener.ts';
import { WatchedTriggerStore } from './trigger-store.ts';

it('says when it has a listener, also one that is gone again', async () => {
  const plane = await startControlPlane();
  onTestFinished(() => plane.close());
  await installKinds(plane.client, allKinds);
  await using watched = new WatchedTriggerStore(plane.client, () => undefined);
  await watched.start();
  const create = (name: string) =>
    plane.client.create(EventListener, {
      apiVersion: 'triggers.tekton.dev/v1beta1',
      kind: 'EventListener',
      metadata: { namespace: 'default', name },
      spec: { triggers: [{ triggerRef: 't' }] },
    } as EventListenerObject);

  const listener = await create('push');
  await watched.shows(listener);
  expect(watched.store.eventListeners.get('default/push')).toMatchObject({ metadata: listener.metadata });

  const resourceVersion = String(Number(listener.metadata.resourceVersion) + 1);
  const later = watched.shows({ ...listener, metadata: { ...listener.metadata, resourceVersion } });
  expect(await Promise.race([later, immediate('not yet')])).toBe('not yet');
  const gone = await create('gone');
  await plane.client.delete(EventListener, { namespace: 'default', name: 'gone' });
  await watched.shows(gone);
  await later;
  expect(watched.store.eventListeners.get('default/gone')).toBeUndefined();
});
