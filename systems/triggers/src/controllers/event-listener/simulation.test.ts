import { kinds, mergePatch } from '@tektite/client';
import { installKinds, Manager } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import { type Scenario, simulate } from '@tektite/simulator';
import { describe, expect, it } from 'vitest';
import { standardFlags } from '../../config/feature-flags.ts';
import { allKinds } from '../../kinds/all-kinds.ts';
import { EventListener } from '../../kinds/event-listener.ts';
import { ClusterInterceptor } from '../../kinds/interceptor.ts';
import { interceptorControllers } from '../interceptor/controller.ts';
import { eventListenerController, type ListenerHost } from './controller.ts';

/** `SEEDS=1000 npx vitest run systems/triggers/src/controllers` for a long night. */
const seeds = Number(process.env.SEEDS ?? 10);
const namespace = 'default';

/** Sockets are not opened in virtual time. The port of a process that starts again is another one. */
function hostOf(clusterAddress: string, nextPort: () => number): ListenerHost {
  const ports = new Map<string, number>();
  return {
    clusterAddress,
    async ensure({ metadata }) {
      const key = `${metadata.namespace}/${metadata.name}`;
      ports.set(key, ports.get(key) ?? nextPort());
      return ports.get(key);
    },
    stop: async (key) => void ports.delete(key),
    localUrl: ({ metadata }, port) => `http://${clusterAddress}:${port}/${metadata.name}`,
  };
}

function scenario(): Scenario {
  let port = 20_000;
  const listener = (name: string): KubeObject =>
    ({
      apiVersion: 'triggers.tekton.dev/v1beta1',
      kind: 'EventListener',
      metadata: { namespace, name },
      spec: { triggers: [{ triggerRef: 't' }] },
    }) as unknown as KubeObject;
  return {
    async prepare({ client }) {
      await installKinds(client, allKinds);
    },
    async start(client) {
      const manager = new Manager(client, { name: 'triggers', graceMs: 0 });
      const host = hostOf('192.0.2.1', () => port++);
      manager.add(eventListenerController({ flags: () => standardFlags, host }));
      for (const controller of interceptorControllers()) manager.add(controller);
      manager.start();
    },
    async act({ client, sleep }) {
      for (const name of ['a', 'b', 'c']) await client.create(listener(name));
      await client.create({
        apiVersion: 'triggers.tekton.dev/v1alpha1',
        kind: 'ClusterInterceptor',
        metadata: { name: 'i' },
        spec: { clientConfig: { service: { name: 's', namespace: 'n', path: 'p' } } },
      } as unknown as KubeObject);
      await sleep(1000);
      await client.patch(EventListener, { namespace, name: 'a' }, mergePatch({ metadata: { labels: { team: 'x' } } }));
      await client.delete(kinds.Service, { namespace, name: 'el-b' }).catch(() => undefined);
      const servicePort = { spec: { resources: { kubernetesResource: { servicePort: 80 } } } };
      await client.patch(EventListener, { namespace, name: 'c' }, mergePatch(servicePort));
    },
    async check({ client }) {
      for (const name of ['a', 'b', 'c']) {
        const { status, metadata } = await client.get(EventListener, { namespace, name });
        const ready = status?.conditions?.find(({ type }) => type === 'Ready');
        if (ready?.status !== 'True') throw new Error(`${name}: ${ready?.message}`);
        expect(status?.observedGeneration).toBe(metadata.generation);
        const service = await client.get(kinds.Service, { namespace, name: `el-${name}` });
        const wanted = name === 'c' ? 80 : 8080;
        expect(service.spec?.ports?.[0]?.port).toBe(wanted);
        expect(status?.address?.url).toBe(`http://el-${name}.default.svc.cluster.local:${wanted}`);
        if (name === 'a') expect(service.metadata.labels).toMatchObject({ team: 'x' });
        const slice = await client.get(kinds.EndpointSlice, { namespace, name: `el-${name}-tektite` });
        // The Service leads to the process that runs now.
        expect(Object.values(status?.annotations ?? {})).toEqual([
          `http://192.0.2.1:${slice.ports?.[0]?.port}/${name}`,
        ]);
      }
      const { status } = await client.get(ClusterInterceptor, { name: 'i' });
      if (status?.address?.url !== 'http://s.n.svc:80/p') throw new Error('the interceptor has no address');
    },
  };
}

describe('controllers of listeners that are killed and cheated', { timeout: 300_000 }, () => {
  it('get every listener served, with its Service and its address', async () => {
    for (let seed = 1; seed <= seeds; seed++) await simulate(scenario(), { seed });
  });
});
