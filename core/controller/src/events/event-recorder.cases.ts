import { type Client, kinds } from '@tektite/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventRecorder } from './event-recorder.ts';

/** A server to run the cases on. */
export interface EventPlace {
  /**
   * Servers up to 1.21 want Events of the newer API about cluster-scoped objects in kube-system, which later ones and their
   * clients gave up; there they are dropped.
   */
  readonly isOld?: boolean;
  start(): Promise<{ client: Client; close(): Promise<void> }>;
}

export function eventCases(place: EventPlace): void {
  let server: { client: Client; close(): Promise<void> };
  let namespace: string;
  beforeEach(async () => {
    server = await place.start();
    const made = await server.client.create(kinds.Namespace, { metadata: { generateName: 'events-' } });
    namespace = made.metadata.name ?? '';
  });
  afterEach(() => server.close());

  const object = () => server.client.create(kinds.ConfigMap, { metadata: { namespace, generateName: 'object-' } });

  describe.each(['v1', 'events.k8s.io/v1'] as const)('events of %s', (api) => {
    it('are found by both APIs, about the object, and repetitions are counted', async () => {
      await using recorder = new EventRecorder(server.client, { component: 'test', instance: 'test-0', api });
      const about = await object();
      for (let i = 0; i < 3; i++) recorder.event(about, { type: 'Warning', reason: 'Odd', message: 'very odd' });
      await recorder.flushed();
      const old = await server.client.list(kinds.Event, { namespace });
      expect(old.items).toMatchObject([
        {
          type: 'Warning',
          reason: 'Odd',
          message: 'very odd',
          involvedObject: { kind: 'ConfigMap', uid: about.metadata.uid },
        },
      ]);
      const [event] = (await server.client.list(kinds.EventsV1Event, { namespace })).items;
      expect(event).toMatchObject({
        reason: 'Odd',
        note: 'very odd',
        reportingController: 'test',
        reportingInstance: 'test-0',
      });
      expect(api === 'v1' ? event?.deprecatedCount : event?.series?.count).toBe(3);
    });

    it('about a cluster-scoped object are in the namespace default', async () => {
      await using recorder = new EventRecorder(server.client, { component: 'test', api });
      const about = await server.client.get(kinds.Namespace, { name: namespace });
      recorder.event(about, { reason: 'Odd', message: 'very odd' });
      await recorder.flushed();
      const fieldSelector = `involvedObject.name=${namespace}`;
      const events = await server.client.list(kinds.Event, { namespace: 'default', fieldSelector });
      if (place.isOld && api !== 'v1') expect(recorder.dropped).toBe(1);
      else expect(events.items).toMatchObject([{ type: 'Normal', reason: 'Odd' }]);
    });

    it('that say too much are cut', async () => {
      await using recorder = new EventRecorder(server.client, { component: 'test', api });
      recorder.event(await object(), { reason: 'Odd', message: 'ö'.repeat(2000) });
      await recorder.flushed();
      const [event] = (await server.client.list(kinds.Event, { namespace })).items;
      expect(event?.message).toMatch(/^ö{500,512}\.\.\.$/);
    });
  });
}
