import type { PipelineSettings } from '../../kinds/pipeline-fields.ts';
import type { Param } from '../../kinds/shared-fields.ts';
import type { Platform } from '../../platform/platform.ts';

const standard = {
  'disable-creds-init': false,
  'await-sidecar-readiness': true,
  'running-in-environment-with-injected-sidecars': true,
  'require-git-ssh-secret-known-hosts': false,
  'enable-custom-tasks': true,
  'send-cloudevents-for-runs': true,
  'enable-api-fields': 'beta',
  'trusted-resources-verification-no-match-policy': 'ignore',
  'enable-provenance-in-status': true,
  'enforce-nonfalsifiability': 'none',
  'keep-pod-on-cancel': false,
  'results-from': 'termination-message',
  'max-result-size': 4096,
  'set-security-context': false,
  coschedule: 'workspaces',
  'enable-cel-in-whenexpression': false,
  // Upstream reads it from a value that is never filled in; each new version of the operator then turns it on.
  'enable-step-actions': false,
  'enable-param-enum': false,
  'metrics.pipelinerun.duration-type': 'histogram',
  'metrics.pipelinerun.level': 'pipeline',
  'metrics.taskrun.duration-type': 'histogram',
  'metrics.taskrun.level': 'task',
  'metrics.count.enable-reason': false,
  'enable-bundles-resolver': true,
  'enable-cluster-resolver': true,
  'enable-hub-resolver': true,
  'enable-git-resolver': true,
} satisfies PipelineSettings;

/** The settings of Pipelines with defaults. Removed settings are dropped. */
export function defaultPipeline<T extends PipelineSettings>(settings: T, platform: Platform): T {
  const {
    'enable-tekton-oci-bundles': _bundles,
    'verification-mode': _mode,
    'scope-when-expressions-to-task': _scope,
    'disable-affinity-assistant': _assistant,
    ...kept
  } = settings;
  const defaulted = { ...standard, ...kept, performance: withBuckets(settings.performance) } as unknown as T;
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
