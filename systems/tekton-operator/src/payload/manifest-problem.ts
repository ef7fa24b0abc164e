import { isManifestError } from '@tektite/manifest';
import { PayloadError } from './payload-source.ts';

/** Whether an error is about a release file, so that users are told in a condition. */
export function isManifestProblem(error: unknown): error is Error {
  return error instanceof PayloadError || isManifestError(error);
}
