import { isManifestError } from '@tektite/manifest';
import { isPayloadError } from './payload-source.ts';

/** Whether an error is about a release file, so that a condition reports it. */
export function isManifestProblem(error: unknown): error is Error {
  return isPayloadError(error) || isManifestError(error);
}
