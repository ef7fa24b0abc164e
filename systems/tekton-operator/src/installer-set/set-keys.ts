/** Labels and annotations of installer sets and components. Sets are found by labels, never by their names. */
export const keys = {
  createdBy: 'operator.tekton.dev/created-by',
  releaseVersion: 'operator.tekton.dev/release-version',
  releaseMinorVersion: 'operator.tekton.dev/release-minor-version',
  type: 'operator.tekton.dev/type',
  installType: 'operator.tekton.dev/installType',
  component: 'operator.tekton.dev/component',
  targetNamespace: 'operator.tekton.dev/target-namespace',
  lastAppliedHash: 'operator.tekton.dev/last-applied-hash',
  platformDataHash: 'operator.tekton.dev/platform-data-hash',
  /** Not upstream's: which images and which release the set was made of. A set without them was made by upstream. */
  imagesHash: 'tektite.dev/images-hash',
  payload: 'tektite.dev/payload-version',
  /** On a component: how it is upgraded, and to what. */
  strategy: 'tektite.dev/upgrade-strategy',
  pinnedVersion: 'tektite.dev/pinned-version',
  rollback: 'tektite.dev/rollback-on-failure',
} as const;

/** `TektonPipeline` is `pipeline` in names. */
export function kindInNames(kind: string): string {
  return kind.replace(/^Tekton/, '').toLowerCase();
}
