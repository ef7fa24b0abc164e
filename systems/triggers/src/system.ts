import type { System, SystemServices } from '@tektite/controller';
import { ConfigStore } from '@tektite/controller/config';
import { EventRecorder } from '@tektite/controller/events';
import { globalMeter } from '@tektite/controller/observe';
import { configDefaults, standardDefaults } from './config/config-defaults.ts';
import { featureFlags, standardFlags } from './config/feature-flags.ts';
import { shippedObjects } from './config/shipped-objects.ts';
import { eventListenerController, type ListenerHost } from './controllers/event-listener/controller.ts';
import { interceptorControllers } from './controllers/interceptor/controller.ts';
import { allKinds } from './kinds/all-kinds.ts';
import { startListenerHost } from './sink/listener-host.ts';
import { triggersWebhooks } from './webhooks/triggers-webhooks.ts';

export interface TriggersOptions {
  /** Where the ConfigMaps with the settings are. Default `tekton-pipelines`. */
  readonly namespace?: string;
  /** Where events of all listeners arrive. Default any free port of 127.0.0.1. */
  readonly listen?: { readonly host: string; readonly port: number };
  /**
   * The address that the cluster reaches this process at, not a loopback one. With it, every listener has a separate port there,
   * and its Service leads to it.
   */
  readonly clusterAddress?: string;
  /** Whether Events report the processing. Default no, as upstream. */
  readonly hasEvents?: boolean;
}

/** For a system that is printed and not run. */
const noHost: ListenerHost = {
  ensure: () => Promise.resolve(undefined),
  stop: () => Promise.resolve(),
  localUrl: () => '',
};

const meterName = 'github.com/tektoncd/triggers/pkg/sink';

/**
 * Tekton Triggers as a system. One process serves all EventListeners.
 *
 * @example
 * await startSystems([pipelinesSystem({ images }), triggersSystem()], { client });
 */
export function triggersSystem({
  namespace = 'tekton-pipelines',
  listen = { host: '127.0.0.1', port: 0 },
  clusterAddress,
  hasEvents = false,
}: TriggersOptions = {}): System {
  const shipped = { flags: () => standardFlags, defaults: () => standardDefaults };
  return {
    name: 'triggers',
    kinds: allKinds,
    objects: shippedObjects(namespace),
    controllers: [eventListenerController({ ...shipped, host: noHost }), ...interceptorControllers()],
    webhooks: triggersWebhooks(shipped),
    permissions: [
      { apiGroups: [''], resources: ['services'], verbs: ['get', 'create', 'patch'] },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'create', 'patch'] },
      { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      // Objects are created as the service accounts that triggers name, with their rights.
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      {
        apiGroups: ['triggers.tekton.dev'],
        resources: [
          'clusterinterceptors',
          'clustertriggerbindings',
          'eventlisteners',
          'interceptors',
          'triggerbindings',
          'triggers',
          'triggertemplates',
        ],
        verbs: ['get', 'list', 'watch'],
      },
      {
        apiGroups: ['triggers.tekton.dev'],
        resources: ['eventlisteners/status', 'interceptors/status', 'clusterinterceptors/status'],
        verbs: ['get', 'patch'],
      },
    ],
    async configure({ client, log }: SystemServices) {
      const onError = (error: Error) => log.error('a setting is not in force', { error });
      const onWatchError = (error: Error) =>
        log.warn('settings cannot be watched, the last ones stay in force', { error });
      const definitions = [configDefaults, featureFlags];
      const settingStore = new ConfigStore(client, { namespace, definitions, onError, onWatchError }).start();
      await settingStore.synced();
      const settings = {
        flags: () => settingStore.get(featureFlags),
        defaults: () => settingStore.get(configDefaults),
      };
      const events = hasEvents ? new EventRecorder(client, { component: 'EventListener', log }) : undefined;
      const host = await startListenerHost({
        client,
        log,
        systemNamespace: namespace,
        listen,
        meter: () => globalMeter(meterName),
        ...(clusterAddress === undefined ? {} : { clusterAddress }),
        ...(events ? { events } : {}),
      });
      const system = {
        controllers: [eventListenerController({ flags: settings.flags, host }), ...interceptorControllers()],
        webhooks: triggersWebhooks(settings),
      };
      const stop = async () => {
        await host[Symbol.asyncDispose]();
        await Promise.all([settingStore.stop(), events?.[Symbol.asyncDispose]()]);
      };
      return { system, stop };
    },
  };
}
