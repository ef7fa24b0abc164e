import { type ConfigOf, customConfig } from '@tektite/controller/config';
import { decodeStruct, type StructDefinition } from '@tektite/go';
import { quoteGo } from '@tektite/meta';
import { definitionOf, type ResourceRequirements } from '@tektite/schema/kubernetes';
import { AffinityAssistantTemplate, PodTemplate } from '../kinds/pod-template.ts';
import { WorkspaceBinding } from '../kinds/workspace.ts';
import { SettingReader } from './setting-reader.ts';

type Json = Readonly<Record<string, unknown>>;

/** The defaults for runs from the ConfigMap `config-defaults`. */
export const configDefaults = customConfig('config-defaults', (data) => {
  const read = new SettingReader(data);
  const integer = (key: string, fallback: number) => read.integer(key, fallback, () => failed(key));
  const duration = (key: string, fallback: string) => read.duration(key, fallback, () => failed(key));
  return {
    /** 0: no timeout. */
    timeoutMinutes: integer('default-timeout-minutes', 60),
    serviceAccount: read.text('default-service-account', 'default'),
    managedByLabelValue: read.text('default-managed-by-label-value', 'tekton-pipelines'),
    podTemplate: read.yaml('default-pod-template', podTemplateOf),
    affinityAssistantPodTemplate: read.yaml('default-affinity-assistant-pod-template', assistantTemplateOf),
    /** Where events go. Deprecated: `config-events` says it too. */
    cloudEventsSink: read.text('default-cloud-events-sink', ''),
    /** Parsed when a run needs it. */
    taskRunWorkspaceBinding: read.lateYaml('default-task-run-workspace-binding', bindingOf),
    maxMatrixCombinations: integer('default-max-matrix-combinations-count', 256),
    /** Variables that a Pod template must not set. */
    forbiddenEnv: namesIn(read.text('default-forbidden-env', '')),
    resolverType: read.text('default-resolver-type', ''),
    /** By the names of containers; see `default-container-resource-requirements`. */
    containerResources: read.yaml('default-container-resource-requirements', resourcesOf),
    imagePullBackOffTimeout: duration('default-imagepullbackoff-timeout', '0'),
    createContainerErrorTimeout: read.duration(
      'default-create-container-error-timeout',
      '0',
      (_, reason) => `${failed('default-create-container-error-timeout')}: ${reason}`,
    ),
    // Upstream's messages have the value in the place of the key.
    maximumResolutionTimeout: read.duration('default-maximum-resolution-timeout', '1m', failed),
    sidecarLogPollingInterval: read.duration('default-sidecar-log-polling-interval', '100ms', failed),
    stepRefConcurrencyLimit: integer('default-step-ref-concurrency-limit', 5),
  };
});

export type ConfigDefaults = ConfigOf<typeof configDefaults>;

/** Without a ConfigMap. */
export const standardDefaults: ConfigDefaults = configDefaults.parse({});

function failed(what: string): string {
  return `failed parsing default config ${quoteGo(what)}`;
}

function namesIn(text: string): readonly string[] {
  return [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '').sort();
}

/** In the form that it has in an object; what is unknown gets lost, as it does upstream. */
function podTemplateOf(value: unknown): PodTemplate {
  return fromYaml(PodTemplate.definitionIn('v1'), value) as PodTemplate;
}

function assistantTemplateOf(value: unknown): AffinityAssistantTemplate {
  return fromYaml(AffinityAssistantTemplate.definitionIn('v1'), value) as AffinityAssistantTemplate;
}

function bindingOf(value: unknown): Omit<WorkspaceBinding, 'name'> {
  return fromYaml(WorkspaceBinding.definitionIn('v1'), value) as Omit<WorkspaceBinding, 'name'>;
}

function resourcesOf(value: unknown): Readonly<Record<string, ResourceRequirements>> {
  const read = (resources: unknown) => fromYaml(definitionOf('core/v1.ResourceRequirements'), resources);
  return Object.fromEntries(Object.entries(mapOf(value)).map(([name, resources]) => [name, read(resources)]));
}

/** In YAML a number or a truth value is good enough for a text. */
function fromYaml(struct: StructDefinition, value: unknown): Json {
  return decodeStruct(struct, mapOf(value), { strict: false, convertsToText: true });
}

function mapOf(value: unknown): Json {
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error('is no map');
  return value as Json;
}
