import { ConfigError, type ConfigOf, customConfig } from '@tektite/controller/config';
import { quoteGo } from '@tektite/meta';
import { SettingReader } from './setting-reader.ts';

/** Results this large would make an object that etcd refuses. */
const tooLargeResult = 1_572_864;

/** The flags of the ConfigMap `feature-flags`. The names are those of the JSON in a run's provenance. */
export const featureFlags = customConfig('feature-flags', (data) => {
  const read = new SettingReader(data);
  return {
    disableCredsInit: read.flag('disable-creds-init', false),
    runningInEnvWithInjectedSidecars: read.flag('running-in-environment-with-injected-sidecars', true),
    awaitSidecarReadiness: read.flag('await-sidecar-readiness', true),
    requireGitSSHSecretKnownHosts: read.flag('require-git-ssh-secret-known-hosts', false),
    enableAPIFields: read.word('enable-api-fields', ['alpha', 'beta', 'stable'], 'beta'),
    sendCloudEventsForRuns: read.flag('send-cloudevents-for-runs', true),
    verificationNoMatchPolicy: read.word(
      'trusted-resources-verification-no-match-policy',
      ['ignore', 'warn', 'fail'],
      'ignore',
    ),
    enableProvenanceInStatus: read.flag('enable-provenance-in-status', true),
    resultExtractionMethod: read.word('results-from', ['termination-message', 'sidecar-logs'], 'termination-message'),
    maxResultSize: readMaxResultSize(read),
    enableKeepPodOnCancel: read.flag('keep-pod-on-cancel', false, true),
    enforceNonfalsifiability: read.word('enforce-nonfalsifiability', ['none', 'spire'], 'none'),
    setSecurityContext: read.flag('set-security-context', false),
    setSecurityContextReadOnlyRootFilesystem: read.flag('set-security-context-read-only-root-filesystem', false),
    coschedule: read.word(
      'coschedule',
      ['workspaces', 'pipelineruns', 'isolate-pipelinerun', 'disabled'],
      'workspaces',
    ),
    enableCELInWhenExpression: read.flag('enable-cel-in-whenexpression', false, true),
    enableParamEnum: read.flag('enable-param-enum', false, true),
    enableArtifacts: read.flag('enable-artifacts', false, true),
    disableInlineSpec: read.text('disable-inline-spec', ''),
    enableConciseResolverSyntax: read.flag('enable-concise-resolver-syntax', false, true),
    enableKubernetesSidecar: read.flag('enable-kubernetes-sidecar', false),
    enableWaitExponentialBackoff: read.flag('enable-wait-exponential-backoff', false),
    enableTerminationMessageCompression: read.flag('enable-termination-message-compression', false, true),
  };
});

/** Upstream's message about too large a size names another flag. */
function readMaxResultSize(read: SettingReader): number {
  const key = 'max-result-size';
  const size = read.integer(key, 4096, (text, reason) => `strconv.Atoi: parsing ${quoteGo(text)}: ${reason}`);
  if (size < tooLargeResult) return size;
  const exact = BigInt(read.text(key, '').replace('+', ''));
  const message = `invalid value for feature flag "results-from": "${exact}". This is exceeding the CRD limit`;
  throw new ConfigError(message, key);
}

export type FeatureFlags = ConfigOf<typeof featureFlags>;

/** Without a ConfigMap. */
export const defaultFeatureFlags: FeatureFlags = featureFlags.parse({});

/** The flags in a run's provenance: those that are set. */
export function flagsForProvenance(flags: FeatureFlags): Readonly<Record<string, string | number | boolean>> {
  return Object.fromEntries(
    Object.entries(flags).filter(([, value]) => value !== false && value !== '' && value !== 0),
  );
}
