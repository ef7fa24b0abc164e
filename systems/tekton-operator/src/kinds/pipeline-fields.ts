import { type InferType, type Schema, s } from '@tektite/schema';
import { flag, options, params, performance, text, texts, whole } from './shared-fields.ts';

/** The ConfigMaps of Pipelines that settings end in, under their own names. */
export type SettingMap = 'feature-flags' | 'config-defaults' | 'config-observability' | 'resolvers-feature-flags';

interface SettingOptions<T> {
  readonly map?: SettingMap;
  readonly default?: T;
  /** Upstream no longer knows it: defaulting drops it. */
  readonly removed?: boolean;
}

function setting<T, O extends boolean>(field: Schema<T, O>, options: SettingOptions<T> = {}) {
  return { field, ...options };
}

/** The settings of Tekton Pipelines: each with its type, its ConfigMap and its default. The order is that of upstream's struct. */
const pipelineSettings = {
  'disable-creds-init': setting(flag(), { map: 'feature-flags', default: false }),
  'await-sidecar-readiness': setting(flag(), { map: 'feature-flags', default: true }),
  'running-in-environment-with-injected-sidecars': setting(flag(), { map: 'feature-flags', default: true }),
  'require-git-ssh-secret-known-hosts': setting(flag(), { map: 'feature-flags', default: false }),
  'enable-custom-tasks': setting(flag(), { map: 'feature-flags', default: true }),
  'enable-api-fields': setting(text(), { map: 'feature-flags', default: 'beta' }),
  'embedded-status': setting(text(), { map: 'feature-flags' }),
  'send-cloudevents-for-runs': setting(flag(), { map: 'feature-flags', default: true }),
  'enable-tekton-oci-bundles': setting(flag(), { removed: true }),
  'verification-mode': setting(text(), { map: 'feature-flags', removed: true }),
  'trusted-resources-verification-no-match-policy': setting(text(), { map: 'feature-flags', default: 'ignore' }),
  'enable-provenance-in-status': setting(flag(), { map: 'feature-flags', default: true }),
  'scope-when-expressions-to-task': setting(flag(), { map: 'feature-flags', removed: true }),
  'disable-affinity-assistant': setting(flag(), { map: 'feature-flags', removed: true }),
  'enforce-nonfalsifiability': setting(text(), { map: 'feature-flags', default: 'none' }),
  'keep-pod-on-cancel': setting(flag(), { map: 'feature-flags', default: false }),
  'results-from': setting(text(), { map: 'feature-flags', default: 'termination-message' }),
  'max-result-size': setting(whole('int32'), { map: 'feature-flags', default: 4096 }),
  'set-security-context': setting(flag(), { map: 'feature-flags', default: false }),
  coschedule: setting(text(), { map: 'feature-flags', default: 'workspaces' }),
  'enable-cel-in-whenexpression': setting(flag(), { map: 'feature-flags', default: false }),
  // Upstream reads its default from a value that is never filled in; each new version of the operator then turns it on.
  'enable-step-actions': setting(flag(), { map: 'feature-flags', default: false }),
  'enable-param-enum': setting(flag(), { map: 'feature-flags', default: false }),
  'disable-inline-spec': setting(text(), { map: 'feature-flags' }),
  'metrics.taskrun.level': setting(text(), { map: 'config-observability', default: 'task' }),
  'metrics.taskrun.duration-type': setting(text(), { map: 'config-observability', default: 'histogram' }),
  'metrics.pipelinerun.level': setting(text(), { map: 'config-observability', default: 'pipeline' }),
  'metrics.pipelinerun.duration-type': setting(text(), { map: 'config-observability', default: 'histogram' }),
  'metrics.count.enable-reason': setting(flag(), { map: 'config-observability', default: false }),
  'traces.enabled': setting(flag()),
  'traces.endpoint': setting(text()),
  'traces.credentialsSecret': setting(text()),
  'default-timeout-minutes': setting(whole(), { map: 'config-defaults' }),
  'default-service-account': setting(text(), { map: 'config-defaults' }),
  'default-managed-by-label-value': setting(text(), { map: 'config-defaults' }),
  'default-pod-template': setting(text(), { map: 'config-defaults' }),
  'default-cloud-events-sink': setting(text(), { map: 'config-defaults' }),
  'default-affinity-assistant-pod-template': setting(text(), { map: 'config-defaults' }),
  'default-task-run-workspace-binding': setting(text(), { map: 'config-defaults' }),
  'default-max-matrix-combinations-count': setting(text(), { map: 'config-defaults' }),
  'default-forbidden-env': setting(text(), { map: 'config-defaults' }),
  'default-resolver-type': setting(text(), { map: 'config-defaults' }),
  'enable-bundles-resolver': setting(flag(), { map: 'resolvers-feature-flags', default: true }),
  'enable-hub-resolver': setting(flag(), { map: 'resolvers-feature-flags', default: true }),
  'enable-git-resolver': setting(flag(), { map: 'resolvers-feature-flags', default: true }),
  'enable-cluster-resolver': setting(flag(), { map: 'resolvers-feature-flags', default: true }),
  'bundles-resolver-config': setting(texts()),
  'hub-resolver-config': setting(texts()),
  'git-resolver-config': setting(texts()),
  'cluster-resolver-config': setting(texts()),
  performance: setting(performance.optional()),
  params: setting(params.optional()),
  options: setting(options.optional()),
};

type Settings = typeof pipelineSettings;
type SettingName = keyof Settings;
const entries = Object.entries(pipelineSettings) as readonly (readonly [SettingName, SettingOptions<unknown>])[];

export const pipelineFields = Object.fromEntries(
  Object.entries(pipelineSettings).map(([name, { field }]) => [name, field]),
) as { readonly [N in SettingName]: Settings[N]['field'] };

const pipeline = s.object(pipelineFields);
export type PipelineSettings = InferType<typeof pipeline>;

/** The names of the settings that end in a ConfigMap. */
export function settingsOf(map: SettingMap): readonly SettingName[] {
  return entries.flatMap(([name, setting]) => (setting.map === map ? [name] : []));
}

/** The defaults of the settings that have one. */
export const pipelineDefaults = Object.fromEntries(
  entries.flatMap(([name, setting]) => (setting.default === undefined ? [] : [[name, setting.default]])),
) as PipelineSettings;

/** The settings that defaulting drops. */
export const removedSettings: readonly SettingName[] = entries.flatMap(([name, { removed }]) =>
  removed ? [name] : [],
);
