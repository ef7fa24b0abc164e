import { type FieldErrors, missingField, noFieldErrors } from '@tektite/controller/field-errors';
import type { KubeObject } from '@tektite/meta';
import { resolverTypeLabel } from '../../kinds/resolution-request.ts';

/** A request without a resolver would wait for an answer in vain. */
export function validateResolutionRequest({ metadata }: KubeObject): FieldErrors {
  return metadata.labels?.[resolverTypeLabel] ? noFieldErrors : missingField(`meta.labels.${resolverTypeLabel}`);
}
