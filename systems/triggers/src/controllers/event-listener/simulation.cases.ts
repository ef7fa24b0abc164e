import assert from 'node:assert/strict';
import { kinds, mergePatch } from '@tektite/client';
import { installKinds, Manager } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import type { Scenario } from '@tektite/simulator';
import { standardFlags } from '../../config/feature-flags.ts';
import { allKinds } from '../../kinds/all-kinds.ts';
import { EventListener } from '../../kinds/event-listener.ts';
import { ClusterInterceptor } from '../../kinds/interceptor.ts';
import { interceptorControllers } from '../interceptor/controller.ts';
import { eventListenerController, type ListenerHost } from './controller.ts';

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

/** Three listeners, one of which is changed and one of which loses its Service. */
export function listenerScenario(): Scenario {
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
        assert.equal(status?.observedGeneration, metadata.generation, `generation of ${name}`);
        const service = await client.get(kinds.Service, { namespace, name: `el-${name}` });
        const wanted = name === 'c' ? 80 : 8080;
        assert.equal(service.spec?.ports?.[0]?.port, wanted, `port of ${name}`);
        assert.equal(status?.address?.url, `http://el-${name}.default.svc.cluster.local:${wanted}`);
        if (name === 'a') assert.equal(service.metadata.labels?.['team'], 'x', 'label of the Service of a');
        const slice = await client.get(kinds.EndpointSlice, { namespace, name: `el-${name}-tektite` });
        // The Service leads to the process that runs now.
        assert.deepEqual(Object.values(status?.annotations ?? {}), [
          `http://192.0.2.1:${slice.ports?.[0]?.port}/${name}`,
        ]);
      }
      const { status } = await client.get(ClusterInterceptor, { name: 'i' });
      if (status?.address?.url !== 'http://s.n.svc:80/p') throw new Error('the interceptor has no address');
    },
  };
}
