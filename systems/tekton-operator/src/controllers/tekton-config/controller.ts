import { type ControllerDefinition, defineController } from '@tektite/controller';
import { formatTime } from '@tektite/meta';
import type { OperatorServices } from '../../extension/operator-services.ts';
import { TektonConfig } from '../../kinds/tekton-config.ts';
import { ComponentConditions } from '../../component/component-conditions.ts';
import { configConditions } from './config-conditions.ts';
import { observeConfig } from './observe.ts';
import { configSources } from './config-sources.ts';
import { finalizeConfig } from './finalize-config.ts';
import { reconcileConfig } from './reconcile.ts';

/** The controller of the one resource that users write. */
export function configController(services: OperatorServices): ControllerDefinition {
  const { sets, allSets, namespaces, pipeline, components } = configSources;
  return defineController({
    name: 'tektonconfig',
    kind: TektonConfig,
    concurrency: 2,
    sources: [sets, allSets, namespaces, pipeline, ...Object.values(components), ...(services.extension.sources ?? [])],
    finalizer: {
      name: 'tektonconfigs.operator.tekton.dev',
      cleanup: (config, context) => finalizeConfig(observeConfig(config, services, context)),
    },
    async reconcile(config, context) {
      const now = formatTime(context.clock.now());
      const conditions = new ComponentConditions(configConditions, config.status?.conditions, now);
      let annotations = config.status?.annotations ?? {};
      let afterwards: (() => Promise<unknown>) | undefined;
      try {
        const outcome = await reconcileConfig(observeConfig(config, services, context), conditions);
        annotations = { ...annotations, ...outcome.annotations };
        afterwards = outcome.afterwards;
        return outcome.result;
      } finally {
        await context.writeStatus(config, {
          ...config.status,
          ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
          version: services.version,
          observedGeneration: config.metadata.generation ?? 0,
          conditions: conditions.list,
        });
        await afterwards?.();
      }
    },
  });
}
