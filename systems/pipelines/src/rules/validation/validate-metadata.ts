import { type FieldErrors, genericError, noFieldErrors } from '@tektite/controller/field-errors';
import { validateDns1123Subdomain, type ObjectMeta, quoteGo } from '@tektite/meta';

/** Names end up in labels, so they are no longer than these may be. */
export function validateMetadata({ name = '' }: ObjectMeta): FieldErrors {
  const path = 'metadata.name';
  if (validateDns1123Subdomain(name).length > 0)
    return genericError(`invalid resource name ${quoteGo(name)}: must be a valid DNS label`, path);
  if (name.length > 63) return genericError('Invalid resource name: length must be no more than 63 characters', path);
  return noFieldErrors;
}
