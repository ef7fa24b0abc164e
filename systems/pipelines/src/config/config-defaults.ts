import {
  configKey,
  type ConfigDefinition,
  type ConfigField,
  type ConfigOf,
  defineConfig,
  durationField,
  integerField,
  stringField,
  yamlField,
} from '@tektite/controller';
import { parseGoDuration } from '@tektite/meta';
import type { ResourceRequirements } from '@tektite/schema/kubernetes';
import type { PodTemplate } from '../kinds/pod-template.ts';
import type { WorkspaceBinding } from '../kinds/workspace.ts';

/** A block of YAML that is a map; what is in it is looked at where it is used. */
function mapField<T>(): ConfigField<T | undefined> {
  return yamlField((value) => {
    if (value === null) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) throw new Error('is no map');
    return value as T;
  });
}

const names: ConfigField<readonly string[]> = (text) => text.split(',').map((name) => name.trim());
const minutes = (text: string) => parseGoDuration(text);

/** What the ConfigMap `config-defaults` says of runs that say nothing themselves. */
export const configDefaults = defineConfig({
  name: 'config-defaults',
  keys: {
    /** 0: no timeout. */
    timeoutMinutes: configKey('default-timeout-minutes', integerField(), 60),
    serviceAccount: configKey('default-service-account', stringField(), 'default'),
    managedByLabelValue: configKey('default-managed-by-label-value', stringField(), 'tekton-pipelines'),
    podTemplate: configKey('default-pod-template', mapField<PodTemplate>(), undefined),
    affinityAssistantPodTemplate: configKey(
      'default-affinity-assistant-pod-template',
      mapField<PodTemplate>(),
      undefined,
    ),
    cloudEventsSink: configKey('default-cloud-events-sink', stringField(), ''),
    taskRunWorkspaceBinding: configKey(
      'default-task-run-workspace-binding',
      mapField<Omit<WorkspaceBinding, 'name'>>(),
      undefined,
    ),
    maxMatrixCombinations: configKey('default-max-matrix-combinations-count', integerField(), 256),
    /** Variables that a Pod template must not set. */
    forbiddenEnv: configKey('default-forbidden-env', names, []),
    resolverType: configKey('default-resolver-type', stringField(), ''),
    containerResources: configKey(
      'default-container-resource-requirements',
      mapField<Readonly<Record<string, ResourceRequirements>>>(),
      undefined,
    ),
    imagePullBackOffTimeout: configKey('default-imagepullbackoff-timeout', durationField(), minutes('0')),
    createContainerErrorTimeout: configKey('default-create-container-error-timeout', durationField(), minutes('0')),
    maximumResolutionTimeout: configKey('default-maximum-resolution-timeout', durationField(), minutes('1m')),
    sidecarLogPollingInterval: configKey('default-sidecar-log-polling-interval', durationField(), minutes('100ms')),
    stepRefConcurrencyLimit: configKey('default-step-ref-concurrency-limit', integerField(), 5),
  },
});

export type ConfigDefaults = ConfigOf<typeof configDefaults>;

/** Without a ConfigMap. */
export const standardDefaults: ConfigDefaults = (configDefaults as ConfigDefinition<ConfigDefaults>).parse({});
