import type { Manifest } from '@tektite/manifest';
import { defineErrors } from '@tektite/meta';

/** Where the release files of components come from. `folder` is what the component is called there: `tekton-pipeline`. */
export interface PayloadSource {
  /** For messages: `the folder /payload`. */
  readonly describe: string;
  /** Who makes the releases, if not upstream: one of the same version has other objects. */
  readonly maker?: string;
  /** The versions there are of a component, in any order; none when the source does not have it. */
  versions(folder: string): Promise<readonly string[]>;
  /** The objects of one version. */
  load(folder: string, version: string): Promise<Manifest>;
  /** Objects that have no version: `webhook`, `tekton-pruner`. Nothing when the source does not have them. */
  extra?(folder: string): Promise<Manifest | undefined>;
}

export const payloadErrors = defineErrors('tekton-operator', 'PayloadError', {
  PAYLOAD_UNUSABLE: {
    when: 'a release file of a component does not exist, or cannot be used',
    fix: 'correct the source of release files that the message names, or choose a version that it has',
  },
});

/** A release file that is not there, or cannot be used. Users read the message in a condition. */
export class PayloadError extends payloadErrors.Error {
  constructor(message: string, options?: ErrorOptions) {
    super('PAYLOAD_UNUSABLE', message, options);
  }
}

/** Whether `error` is a PayloadError. */
export function isPayloadError(error: unknown): error is PayloadError {
  return payloadErrors.is(error);
}
