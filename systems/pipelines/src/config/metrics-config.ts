import { ConfigError, type ConfigOf, customConfig } from '@tektite/controller/config';

const taskRunLevels = ['task', 'taskrun', 'namespace'] as const;
const runningLevels = ['pipelinerun', 'pipeline', 'namespace'] as const;
const pipelineRunLevels = ['pipeline', 'pipelinerun', 'namespace'] as const;

/** The settings of metrics from the ConfigMap `config-observability`. */
export const metricsConfig = customConfig('config-observability', (data) => {
  const level = <T extends string>(key: string, levels: readonly [T, ...T[]], what: string): T => {
    const text = Object.hasOwn(data, key) ? data[key] : levels[0];
    const found = levels.find((each) => each === text);
    if (found === undefined) throw new ConfigError(`invalid config for ${what}: ${text}`, key);
    return found;
  };
  /** Anything but `false` is yes. */
  const flag = (key: string) => Object.hasOwn(data, key) && data[key] !== 'false';
  return {
    taskRunLevel: level('metrics.taskrun.level', taskRunLevels, 'TaskrunLevel'),
    pipelineRunLevel: level('metrics.pipelinerun.level', pipelineRunLevels, 'PipelinerunLevel'),
    /** Durations as the last one only, instead of a distribution. */
    lastTaskRunDuration: data['metrics.taskrun.duration-type'] === 'lastvalue',
    lastPipelineRunDuration: data['metrics.pipelinerun.duration-type'] === 'lastvalue',
    /** How fine runs that go on are counted. Empty, and for levels that there are not: all as one. */
    runningPipelineRunLevel: runningLevels.find((each) => each === data['metrics.running-pipelinerun.level']) ?? '',
    countsByReason: flag('metrics.count.enable-reason'),
    throttledByNamespace: flag('metrics.taskrun.throttle.enable-namespace'),
  };
});

export type MetricsConfig = ConfigOf<typeof metricsConfig>;

/** Without a ConfigMap. */
export const standardMetrics: MetricsConfig = metricsConfig.parse({});
