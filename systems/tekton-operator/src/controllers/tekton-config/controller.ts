import { type ControllerDefinition, defineController } from '@tektite/controller';
import { formatTime } from '@tektite/meta';
import type { OperatorServices } from '../../extension/operator-services.ts';
import { TektonConfig } from '../../kinds/tekton-config.ts';
import { markConditions } from '../../component/component-conditions.ts';
import { completeSteps } from '../../component/steps.ts';
import { advanceConfig } from './advance.ts';
import { configConditions } from './config-conditions.ts';
import { observeConfig } from './observe.ts';
import { configSources } from './config-sources.ts';
import { finalizeConfig } from './finalize-config.ts';

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
      const completed = await completeSteps(advanceConfig(observeConfig(config, services, context)));
      const outcome = 'outcome' in completed ? completed.outcome : undefined;
      const annotations = { ...config.status?.annotations, ...outcome?.annotations };
      await context.writeStatus(config, {
        ...config.status,
        ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
        version: services.version,
        observedGeneration: config.metadata.generation ?? 0,
        conditions: markConditions(configConditions, config.status?.conditions, completed.marks, now),
      });
      if ('error' in completed) throw completed.error;
      await outcome?.afterwards?.();
      return outcome?.result;
    },
  });
}
