import { kinds, type Transport } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { seededRandom } from '@tektite/meta';
import { faultyTransport, startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { eventCases } from './event-recorder.cases.ts';
import { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';

const about: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name: 'web', uid: 'u' } };

async function recorder(options: Partial<EventRecorderOptions> = {}) {
  const clock = virtualClock();
  const plane = await startControlPlane({ clock });
  const events = new EventRecorder(plane.client, { component: 'test', ...options });
  return {
    clock,
    plane,
    events,
    async list() {
      await events.flushed();
      return (await plane.client.list(kinds.Event, { namespace: 'default' })).items;
    },
    async [Symbol.asyncDispose]() {
      await events[Symbol.asyncDispose]();
      await plane.close();
    },
  };
}

describe('on the embedded server', () => {
  eventCases({
    async start() {
      const plane = await startControlPlane();
      return { client: plane.client, close: () => plane.close() };
    },
  });
});

describe('many events', () => {
  it('more than ten texts of one reason are combined', async () => {
    await using it = await recorder();
    for (let i = 0; i < 14; i++) it.events.event(about, { reason: 'Odd', message: `number ${i}` });
    const events = await it.list();
    expect(events).toHaveLength(11);
    expect(events.find(({ count }) => (count ?? 0) > 1)).toMatchObject({
      message: '(combined from similar events): number 13',
      count: 4,
    });
  });

  it('one object gets 25 at once and then one in five minutes; others are not affected', async () => {
    await using it = await recorder();
    for (let i = 0; i < 100; i++) it.events.event(about, { reason: `Reason${i}`, message: 'm' });
    expect(await it.list()).toHaveLength(25);
    it.events.event({ ...about, metadata: { ...about.metadata, name: 'other' } }, { reason: 'Fine', message: 'm' });
    expect(await it.list()).toHaveLength(26);
    await it.clock.advance(300_000);
    for (let i = 0; i < 3; i++) it.events.event(about, { reason: `Later${i}`, message: 'm' });
    expect(await it.list()).toHaveLength(27);
  });
});

describe('failures', () => {
  it('a deleted Event is recreated', async () => {
    await using it = await recorder();
    it.events.event(about, { reason: 'Odd', message: 'm' });
    await it.list();
    await it.plane.client.deleteCollection(kinds.Event, { namespace: 'default' });
    it.events.event(about, { reason: 'Odd', message: 'm' });
    expect(await it.list()).toMatchObject([{ reason: 'Odd', count: 2 }]);
  });

  it('an account that may only create Events creates one for each repetition', async () => {
    await using it = await recorder();
    const apiGroup = 'rbac.authorization.k8s.io';
    const metadata = { name: 'creator', namespace: 'default' };
    await it.plane.client.create(kinds.Role, {
      metadata,
      rules: [{ apiGroups: [''], resources: ['events'], verbs: ['create'] }],
    });
    await it.plane.client.create(kinds.RoleBinding, {
      metadata,
      roleRef: { apiGroup, kind: 'Role', name: 'creator' },
      subjects: [{ apiGroup, kind: 'User', name: 'host' }],
    });
    const client = it.plane.clientFor({ name: 'host', groups: ['system:authenticated'] });
    await using events = new EventRecorder(client, { component: 'test' });
    for (let i = 0; i < 2; i++) {
      events.event(about, { reason: 'Odd', message: 'm' });
      await events.flushed();
    }
    expect((await it.list()).map(({ count }) => count)).toEqual([1, 2]);
    expect(events.dropped).toBe(0);
  });

  it('a broken connection loses nothing; a rejected Event is dropped and logged', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock });
    const transport = faultyTransport(plane.transport(), { clock, random: seededRandom(1), rates: { refuse: 1 } });
    const said: string[] = [];
    const { silentLogger } = await import('../logger.ts');
    const log = { ...silentLogger, warn: (message: string) => void said.push(message) };
    await using events = new EventRecorder(plane.clientFor(transport), { component: 'test', log });
    events.event(about, { reason: 'Odd', message: 'm' });
    await clock.advance(5_000);
    transport.heal();
    await clock.until(events.flushed());
    expect((await plane.client.list(kinds.Event)).items).toHaveLength(1);
    events.event({ ...about, metadata: { namespace: 'nowhere', name: 'x' } }, { reason: 'Odd', message: 'm' });
    await clock.until(events.flushed());
    expect(said).toEqual(['an event could not be written']);
    expect(events.dropped).toBe(1);
  });

  it('one that cannot be written does not hold up those of other objects', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock });
    const transport = plane.transport();
    const broken: Transport = {
      watch: (request) => transport.watch(request),
      stream: (request) => transport.stream(request),
      close: () => transport.close(),
      request: (request) =>
        JSON.stringify(request.body ?? '').includes('"name":"bad"')
          ? Promise.reject(new Error('connection reset'))
          : transport.request(request),
    };
    await using events = new EventRecorder(plane.clientFor(broken), { component: 'test' });
    const pod = (name: string) => ({ ...about, metadata: { namespace: 'default', name, uid: name } });
    events.event(pod('bad'), { reason: 'Odd', message: 'm' });
    events.event(pod('good'), { reason: 'Fine', message: 'm' });
    await expect
      .poll(async () =>
        (await plane.client.list(kinds.Event, { namespace: 'default' })).items.map(({ reason }) => reason),
      )
      .toEqual(['Fine']);
  });
});
