import type { Result } from '@tektite/controller';
import { requeueLater } from '../../extension/progress.ts';
import { prunerSetType } from '../../job-pruner/classic-pruner.ts';
import { componentObjects, pipelineObject } from '../../profile/component-objects.ts';
import { extensionContext, removeComponent } from './act.ts';
import type { ObservedConfig } from './observe.ts';

const order = ['trigger', 'chain', 'result', 'syncerService'] as const;
const leftovers = ['eventPruner', 'scheduler', 'multiclusterProxy', 'pipelinesAsCode'] as const;

/**
 * Finalizes a TektonConfig: deletes its components, one after the other, those that need Pipelines before Pipelines.
 * Upstream leaves the last ones to the garbage collector; here all are deleted before the TektonConfig.
 */
export async function finalizeConfig(observed: ObservedConfig): Promise<Result | undefined> {
  const { config, services, sets } = observed;
  if (config.metadata.name !== 'config') return undefined;
  for (const choice of ['dashboard', 'addon'] as const) if (await isLeft(observed, choice)) return requeueLater;
  await services.extension.config?.finalize?.(extensionContext(observed));
  for (const choice of order) if (await isLeft(observed, choice)) return requeueLater;
  for (const choice of leftovers) if (await isLeft(observed, choice)) return requeueLater;
  if ((await removeComponent(observed, pipelineObject)) !== undefined) return requeueLater;
  return (await sets.remove('TektonConfig', prunerSetType, 'pruner-config')) ? undefined : requeueLater;
}

async function isLeft(observed: ObservedConfig, choice: keyof typeof componentObjects): Promise<boolean> {
  return (await removeComponent(observed, { ...componentObjects[choice], choice })) !== undefined;
}
