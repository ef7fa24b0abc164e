import { pipelineDefaults, type PipelineSettings, removedSettings } from '../../kinds/pipeline-fields.ts';
import type { Param } from '../../kinds/shared-fields.ts';
import type { Platform } from '../../platform/platform.ts';

const isRemoved = (name: string) => (removedSettings as readonly string[]).includes(name);

/** The settings of Pipelines with defaults. Removed settings are dropped. */
export function defaultPipeline<T extends PipelineSettings>(settings: T, platform: Platform): T {
  const kept = Object.fromEntries(Object.entries(settings).filter(([name]) => !isRemoved(name)));
  const defaulted = { ...pipelineDefaults, ...kept, performance: withBuckets(settings.performance) } as T;
  return platform === 'openshift' ? forOpenShift(defaulted) : defaulted;
}

/** As many buckets as ordinals. */
function withBuckets(performance: PipelineSettings['performance']): PipelineSettings['performance'] {
  const { replicas = 0 } = performance ?? {};
  if (!performance?.['statefulset-ordinals'] || replicas <= 1) return performance;
  return { ...performance, buckets: replicas };
}

function forOpenShift<T extends PipelineSettings>(settings: T): T {
  const params = settings.params ?? [];
  return {
    ...settings,
    'default-service-account': settings['default-service-account'] ?? 'pipeline',
    params: withMetrics(params),
  };
}

function withMetrics(params: readonly Param[]): readonly Param[] {
  const index = params.findIndex(({ name }) => name === 'enableMetrics');
  const found = params[index];
  if (!found) return [...params, { name: 'enableMetrics', value: 'true' }];
  return found.value === 'true' || found.value === 'false' ? params : params.with(index, { ...found, value: 'true' });
}
