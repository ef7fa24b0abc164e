import { type Field, go, type Struct } from '@tektite/schema/struct';

const switches = (...names: readonly string[]) => fieldsNamed(go.bool(), names);
const texts = (...names: readonly string[]) => fieldsNamed(go.string(), names);

function fieldsNamed<T>(field: Field<T>, names: readonly string[]): Readonly<Record<string, Field<T>>> {
  return Object.fromEntries(names.map((name) => [name, field]));
}

/** The settings that a run was executed with. A record, because settings come and go between releases. */
export type FeatureFlags = Readonly<Record<string, string | number | boolean>>;
export const FeatureFlags: Struct<FeatureFlags> = go.struct('config.FeatureFlags', {
  ...switches('disableCredsInit', 'runningInEnvWithInjectedSidecars', 'requireGitSSHSecretKnownHosts'),
  ...switches('sendCloudEventsForRuns', 'awaitSidecarReadiness', 'enableKeepPodOnCancel'),
  ...switches('enableProvenanceInStatus', 'setSecurityContext', 'setSecurityContextReadOnlyRootFilesystem'),
  ...switches('enableCELInWhenExpression', 'enableStepActions', 'enableParamEnum', 'enableArtifacts'),
  ...switches('enableConciseResolverSyntax', 'enableKubernetesSidecar', 'enableWaitExponentialBackoff'),
  ...switches('enableTerminationMessageCompression'),
  ...texts('enableAPIFields', 'enforceNonfalsifiability', 'verificationNoMatchPolicy', 'resultExtractionMethod'),
  ...texts('coschedule', 'disableInlineSpec'),
  maxResultSize: go.int(),
  enableTektonOCIBundles: go.pointer(go.bool()),
}) as Struct<FeatureFlags>;
