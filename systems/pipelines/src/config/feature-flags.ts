import {
  booleanField,
  configKey,
  type ConfigDefinition,
  type ConfigOf,
  defineConfig,
  enumField,
  integerField,
  stringField,
} from '@tektite/controller';

/** Results this large would make an object that etcd refuses. */
const largestResult = 1_572_863;

const off = (key: string) => configKey(key, booleanField(), false);
const on = (key: string) => configKey(key, booleanField(), true);

/** What the ConfigMap `feature-flags` switches on and off. The names are those of the JSON in a run's provenance. */
export const featureFlags = defineConfig({
  name: 'feature-flags',
  keys: {
    disableCredsInit: off('disable-creds-init'),
    runningInEnvWithInjectedSidecars: on('running-in-environment-with-injected-sidecars'),
    requireGitSSHSecretKnownHosts: off('require-git-ssh-secret-known-hosts'),
    enableAPIFields: configKey('enable-api-fields', enumField('alpha', 'beta', 'stable'), 'beta'),
    sendCloudEventsForRuns: on('send-cloudevents-for-runs'),
    awaitSidecarReadiness: on('await-sidecar-readiness'),
    enforceNonfalsifiability: configKey('enforce-nonfalsifiability', enumField('none', 'spire'), 'none'),
    enableKeepPodOnCancel: off('keep-pod-on-cancel'),
    verificationNoMatchPolicy: configKey(
      'trusted-resources-verification-no-match-policy',
      enumField('ignore', 'warn', 'fail'),
      'ignore',
    ),
    enableProvenanceInStatus: on('enable-provenance-in-status'),
    resultExtractionMethod: configKey(
      'results-from',
      enumField('termination-message', 'sidecar-logs'),
      'termination-message',
    ),
    maxResultSize: configKey('max-result-size', integerField({ maximum: largestResult }), 4096),
    setSecurityContext: off('set-security-context'),
    setSecurityContextReadOnlyRootFilesystem: off('set-security-context-read-only-root-filesystem'),
    coschedule: configKey(
      'coschedule',
      enumField('workspaces', 'pipelineruns', 'isolate-pipelinerun', 'disabled'),
      'workspaces',
    ),
    enableCELInWhenExpression: off('enable-cel-in-whenexpression'),
    enableParamEnum: off('enable-param-enum'),
    enableArtifacts: off('enable-artifacts'),
    disableInlineSpec: configKey('disable-inline-spec', stringField(), ''),
    enableConciseResolverSyntax: off('enable-concise-resolver-syntax'),
    enableKubernetesSidecar: off('enable-kubernetes-sidecar'),
    enableWaitExponentialBackoff: off('enable-wait-exponential-backoff'),
    enableTerminationMessageCompression: off('enable-termination-message-compression'),
  },
});

export type FeatureFlags = ConfigOf<typeof featureFlags>;

/** Without a ConfigMap. */
export const defaultFeatureFlags: FeatureFlags = (featureFlags as ConfigDefinition<FeatureFlags>).parse({});

/** What of the flags a run remembers: those that are set. */
export function flagsForProvenance(flags: FeatureFlags): Readonly<Record<string, string | number | boolean>> {
  return Object.fromEntries(
    Object.entries(flags).filter(([, value]) => value !== false && value !== '' && value !== 0),
  );
}
