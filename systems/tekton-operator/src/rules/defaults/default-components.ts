import type { ChainSettings } from '../../kinds/chain-fields.ts';
import type { AddonSettings, SchedulerSettings, TriggerSettings } from '../../kinds/component-fields.ts';
import type { EventPrunerSettings } from '../../kinds/pruner-fields.ts';
import type { ResultSettings } from '../../kinds/result-fields.ts';
import { type Param, paramValue } from '../../kinds/shared-fields.ts';
import type { Platform } from '../../platform/platform.ts';

export function defaultTrigger<T extends TriggerSettings>(settings: T, platform: Platform): T {
  return {
    ...(platform === 'openshift' ? { 'default-service-account': 'pipeline' } : {}),
    'enable-api-fields': 'stable',
    ...settings,
  };
}

export function defaultChain<T extends ChainSettings>(settings: T): T {
  return {
    'artifacts.taskrun.format': 'in-toto',
    'artifacts.taskrun.storage': 'oci',
    'artifacts.pipelinerun.format': 'in-toto',
    'artifacts.pipelinerun.storage': 'oci',
    'artifacts.oci.format': 'simplesigning',
    'artifacts.oci.storage': 'oci',
    ...settings,
  };
}

/** Only TektonConfig fills in the route of Results; TektonResult's own webhook does not. */
export function defaultResultRoute<T extends ResultSettings>(settings: T, platform: Platform): T {
  return { route_enabled: platform === 'openshift', route_tls_termination: 'edge', ...settings };
}

export function defaultEventPruner<T extends Partial<EventPrunerSettings>>(settings: T): T & EventPrunerSettings {
  const config = settings['global-config'];
  const enforcedConfigLevel = 'global';
  return {
    ...settings,
    disabled: settings.disabled ?? true,
    'global-config': config ? { enforcedConfigLevel, ...config } : { enforcedConfigLevel, historyLimit: 100 },
  };
}

/** Who says nothing about `disabled` gets all three; who does gets none. */
export function defaultScheduler<T extends Partial<SchedulerSettings>>(settings: T): T {
  if (settings.disabled !== undefined) return settings;
  return {
    ...settings,
    disabled: true,
    'multi-cluster-disabled': true,
    'config.yaml': { ...settings['config.yaml'], queueName: 'pipelines-queue' },
  };
}

/** In upstream's map these have no order; here they have this one. */
export const addonParams = ['communityResolverTasks', 'pipelineTemplates', 'resolverTasks', 'resolverStepActions'];

export function defaultAddon<T extends AddonSettings>(settings: T): T {
  const { enablePipelinesAsCode: _deprecated, ...kept } = settings;
  let params: readonly Param[] = settings.params ?? [];
  const has = (name: string) => params.some((param) => param.name === name);
  if (paramValue(params, 'resolverTasks') === 'false' && !has('pipelineTemplates'))
    params = [...params, { name: 'pipelineTemplates', value: 'false' }];
  for (const name of addonParams) if (!has(name)) params = [...params, { name, value: 'true' }];
  return { ...kept, params } as T;
}
