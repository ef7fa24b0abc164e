import type { Manifest } from '@tektite/manifest';

/** Where the release files of components come from. `folder` is what the component is called there: `tekton-pipeline`. */
export interface PayloadSource {
  /** For messages: `the folder /payload`. */
  readonly describe: string;
  /** The versions there are of a component, in any order; none when the source does not have it. */
  versions(folder: string): Promise<readonly string[]>;
  /** The objects of one version. */
  load(folder: string, version: string): Promise<Manifest>;
  /** Objects that have no version: `webhook`, `tekton-pruner`. Nothing when the source does not have them. */
  extra?(folder: string): Promise<Manifest | undefined>;
}

/** A release file that is not there, or cannot be used. Users read the message in a condition. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
}
