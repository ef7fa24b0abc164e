import { isManifestError } from '@tektite/manifest';
import { PayloadError } from './payload-source.ts';

/** Whether an error is about a release file, so that a condition reports it. */
export function isManifestProblem(error: unknown): error is Error {
  return error instanceof PayloadError || isManifestError(error);
}
