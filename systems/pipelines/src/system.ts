import type { System, SystemServices } from '@tektite/controller';
import { ConfigStore } from '@tektite/controller/config';
import { globalMeter } from '@tektite/controller/observe';
import { type CacheTransforms, strippingTransforms } from './cache/cache-transforms.ts';
import { readCacheTransforms } from './cache/read-cache-transforms.ts';
import { configDefaults, standardDefaults } from './config/config-defaults.ts';
import { defaultFeatureFlags, featureFlags } from './config/feature-flags.ts';
import { type MetricsConfig, metricsConfig, standardMetrics } from './config/metrics-config.ts';
import { registryCertConfig } from './config/registry-cert-config.ts';
import { spireConfig } from './config/spire-config.ts';
import { tracingConfig } from './config/tracing-config.ts';
import { FollowedTraceTarget, type SendTraces } from './tracing/trace-target.ts';
import { standardWaitBackoff, waitBackoffConfig } from './config/wait-backoff-config.ts';
import { shippedObjects } from './config/shipped-objects.ts';
import { type CloudEventOptions, cloudEventControllers } from './controllers/cloud-events/controller.ts';
import { Outbox } from './cloud-events/outbox.ts';
import { eventsConfig, standardEvents } from './config/events-config.ts';
import { systemClock } from '@tektite/meta';
import { allKinds } from './kinds/all-kinds.ts';
import { pipelineRunController } from './controllers/pipeline-run/controller.ts';
import { meterName } from './metrics/metric-names.ts';
import { PipelineRunMetrics } from './metrics/pipeline-run-metrics.ts';
import { TaskRunMetrics } from './metrics/task-run-metrics.ts';
import type { PodImages } from './pod/pod-images.ts';
import { allResolvers } from './resolution/all-resolvers.ts';
import { resolutionRequestController } from './controllers/resolution-request/controller.ts';
import {
  resolverConfigStore,
  resolverObjects,
  resolverSettings,
  shippedSettings,
} from './resolution/resolver-configs.ts';
import { resolverController } from './controllers/resolver/controller.ts';
import type { ResolverSettings } from './resolution/resolver.ts';
import { ImageLookup, type KnownCommand, type StoredCommand } from './images/image-lookup.ts';
import { runQueueController } from './controllers/run-queue/controller.ts';
import { taskRunController } from './controllers/task-run/controller.ts';
import { configWebhook } from './webhooks/config-webhook.ts';
import { pipelinesConversion } from './rules/conversion/pipelines-conversion.ts';
import type { CurrentSettings } from './config/current-settings.ts';
import { pipelinesWebhooks } from './webhooks/pipelines-webhooks.ts';

export interface PipelinesOptions {
  readonly images: PodImages;
  /** The commands of images that are known without their registries. */
  readonly imageCommand?: KnownCommand;
  /** Commands of the images that the machine has, where Pods run on it. */
  readonly storedCommand?: StoredCommand;
  /** Where the ConfigMaps with the settings are. Default `tekton-pipelines`. */
  readonly namespace?: string;
  /** Where those of the resolvers are. Default `tekton-pipelines-resolvers`. */
  readonly resolversNamespace?: string;
  /** Sends the traces of the process where `config-tracing` says. Without it, that ConfigMap has no effect. */
  readonly sendTraces?: SendTraces;
  /** `pipeline.tekton.dev/release` on everything it makes. */
  readonly release?: string;
}

/**
 * Tekton Pipelines as a system.
 *
 * @example
 * await startSystems([pipelinesSystem({ images })], { client });
 */
export function pipelinesSystem({
  images,
  imageCommand,
  storedCommand,
  sendTraces,
  namespace = 'tekton-pipelines',
  resolversNamespace = 'tekton-pipelines-resolvers',
  release = 'tektite',
}: PipelinesOptions): System {
  const controllers = (
    { flags, defaults, waitBackoff = () => standardWaitBackoff }: CurrentSettings,
    resolvers: ResolverSettings,
    transforms: CacheTransforms,
    metrics: () => MetricsConfig,
    authorities: () => string,
    cloudEvents: Pick<CloudEventOptions, 'events' | 'outbox'>,
  ) => [
    taskRunController({
      flags,
      defaults,
      waitBackoff,
      images,
      release,
      transforms,
      imageLookup: new ImageLookup(imageCommand, storedCommand, authorities),
      metrics: new TaskRunMetrics(() => globalMeter(meterName), metrics),
    }),
    pipelineRunController({
      flags,
      defaults,
      waitBackoff,
      nopImage: images.nop,
      transforms,
      metrics: new PipelineRunMetrics(() => globalMeter(meterName), metrics),
    }),
    runQueueController(),
    ...cloudEventControllers({ ...cloudEvents, defaults, transforms }),
    resolutionRequestController(defaults),
    resolverController(allResolvers, resolvers),
  ];
  const shipped = { flags: () => defaultFeatureFlags, defaults: () => standardDefaults };
  return {
    name: 'pipelines',
    kinds: allKinds,
    objects: [...shippedObjects(namespace), ...resolverObjects(resolversNamespace)],
    controllers: controllers(
      shipped,
      shippedSettings,
      strippingTransforms,
      () => standardMetrics,
      () => '',
      {
        events: () => standardEvents,
        outbox: new Outbox(systemClock),
      },
    ),
    webhooks: webhooks(shipped),
    permissions: [
      { apiGroups: [''], resources: ['pods'], verbs: ['create', 'delete', 'get', 'patch'] },
      { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
      { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['create', 'delete', 'get', 'patch'] },
      { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
      { apiGroups: ['apps'], resources: ['statefulsets'], verbs: ['create', 'delete', 'get'] },
      {
        apiGroups: ['tekton.dev'],
        resources: ['taskruns', 'customruns', 'pipelineruns'],
        verbs: ['create', 'get', 'patch'],
      },
      { apiGroups: [''], resources: ['configmaps', 'secrets', 'serviceaccounts'], verbs: ['get', 'list', 'watch'] },
      // Fetched objects are validated by a dry-run creation.
      { apiGroups: ['tekton.dev'], resources: ['tasks', 'stepactions', 'pipelines'], verbs: ['get', 'create'] },
      { apiGroups: ['tekton.dev'], resources: ['verificationpolicies'], verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: ['resolution.tekton.dev'],
        resources: ['resolutionrequests', 'resolutionrequests/status'],
        verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
      },
    ],
    async configure({ client, log }: SystemServices) {
      const onError = (error: Error) => log.error('a setting is not in force', { error });
      const onWatchError = (error: Error) =>
        log.warn('settings cannot be watched, the last ones stay in force', { error });
      const definitions = [
        featureFlags,
        configDefaults,
        metricsConfig,
        eventsConfig,
        waitBackoffConfig,
        tracingConfig,
        registryCertConfig,
        spireConfig,
      ];
      const store = new ConfigStore(client, { namespace, definitions, onError, onWatchError }).start();
      const authorities = () => store.get(registryCertConfig).authorities;
      const outbox = new Outbox(client.clock, authorities);
      const resolverStore = resolverConfigStore(client, resolversNamespace, { onError, onWatchError }).start();
      await Promise.all([store.synced(), resolverStore.synced()]);
      const traces =
        sendTraces && new FollowedTraceTarget({ client, namespace, send: sendTraces, onError: onWatchError });
      traces?.follow(store.get(tracingConfig));
      store.subscribe(tracingConfig, (config) => traces?.follow(config));
      const settings = {
        flags: () => store.get(featureFlags),
        defaults: () => store.get(configDefaults),
        waitBackoff: () => store.get(waitBackoffConfig),
      };
      const system = {
        controllers: controllers(
          settings,
          resolverSettings(resolverStore, authorities),
          await readCacheTransforms(client, namespace),
          () => store.get(metricsConfig),
          authorities,
          { events: () => store.get(eventsConfig), outbox },
        ),
        webhooks: webhooks(settings),
      };
      const stop = async () => {
        await Promise.all([store.stop(), resolverStore.stop(), outbox[Symbol.asyncDispose]()]);
        await traces?.stop();
      };
      return { system, stop };
    },
  };
}

/** All of upstream's webhooks. */
function webhooks(settings: CurrentSettings): NonNullable<System['webhooks']> {
  return [...pipelinesWebhooks(settings), configWebhook(), pipelinesConversion(settings)];
}
