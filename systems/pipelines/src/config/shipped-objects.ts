import type { KubeObject } from '@tektite/meta';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-pipelines' };

/**
 * The ConfigMaps of a release and what they say. Tools read them: `enable-api-fields` to know what a user may write,
 * `pipelines-info` for the version.
 */
const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'config-defaults': {},
  'config-events': {},
  'config-leader-election-controller': {},
  'config-leader-election-events': {},
  'config-leader-election-webhook': {},
  'config-observability': { 'metrics-protocol': 'prometheus' },
  'config-registry-cert': {},
  'config-spire': {},
  'config-tracing': {},
  'config-wait-exponential-backoff': { duration: '10s', factor: '2.0', jitter: '0.0', steps: '5', cap: '60s' },
  'feature-flags': {
    'await-sidecar-readiness': 'true',
    coschedule: 'workspaces',
    'disable-creds-init': 'false',
    'disable-inline-spec': '',
    'enable-api-fields': 'beta',
    'enable-artifacts': 'false',
    'enable-cel-in-whenexpression': 'false',
    'enable-concise-resolver-syntax': 'false',
    'enable-informer-cache-transforms': 'true',
    'enable-kubernetes-sidecar': 'false',
    'enable-param-enum': 'false',
    'enable-provenance-in-status': 'true',
    'enable-step-actions': 'true',
    'enable-tekton-oci-bundles': 'false',
    'enable-termination-message-compression': 'false',
    'enable-wait-exponential-backoff': 'false',
    'enforce-nonfalsifiability': 'none',
    'keep-pod-on-cancel': 'false',
    'require-git-ssh-secret-known-hosts': 'false',
    'results-from': 'termination-message',
    'running-in-environment-with-injected-sidecars': 'true',
    'send-cloudevents-for-runs': 'true',
    'set-security-context': 'false',
    'set-security-context-read-only-root-filesystem': 'false',
    'trusted-resources-verification-no-match-policy': 'ignore',
  },
  'pipelines-info': { version: 'v1.15.0' },
};

/** The namespace of the settings, and the default settings. */
export function shippedObjects(namespace: string): readonly KubeObject[] {
  const configMaps = Object.entries(settings).map(([name, data]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
    data,
  }));
  return [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }, ...configMaps];
}
