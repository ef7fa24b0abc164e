import type { Result } from '@tektite/controller';
import { lookLater } from '../component/progress.ts';
import { prunerSetType } from '../pruner/classic-pruner.ts';
import { componentObjects, pipelineObject } from './component-objects.ts';
import type { ConfigReconcile } from './config-reconcile.ts';

const order = ['trigger', 'chain', 'result', 'syncerService'] as const;
const leftovers = ['eventPruner', 'scheduler', 'multiclusterProxy', 'pipelinesAsCode'] as const;

/**
 * Finalizes a TektonConfig: deletes its components, one after the other, those that need Pipelines before Pipelines.
 * Upstream leaves the last ones to the garbage collector; here all are deleted before the TektonConfig.
 */
export async function finalizeConfig(run: ConfigReconcile): Promise<Result | undefined> {
  const { config, services, sets } = run;
  if (config.metadata.name !== 'config') return undefined;
  for (const choice of ['dashboard', 'addon'] as const) if (await isLeft(run, choice)) return lookLater;
  await services.extension.config?.finalize?.(run.extensionContext());
  for (const choice of order) if (await isLeft(run, choice)) return lookLater;
  for (const choice of leftovers) if (await isLeft(run, choice)) return lookLater;
  if ((await run.remove(pipelineObject)) !== undefined) return lookLater;
  return (await sets.remove('TektonConfig', prunerSetType, 'pruner-config')) ? undefined : lookLater;
}

async function isLeft(run: ConfigReconcile, choice: keyof typeof componentObjects): Promise<boolean> {
  return (await run.remove({ ...componentObjects[choice], choice })) !== undefined;
}
