import { type FieldErrors, genericError, noFieldErrors } from '@tektite/controller/field-errors';
import { type ObjectMeta, quoteGo, validateDns1123Subdomain } from '@tektite/meta';

const maxNameLength = 63;

/** Names end up in labels, so they are limited as these are. */
export function validateMetadata({ name = '' }: ObjectMeta): FieldErrors {
  const path = 'metadata.name';
  if (validateDns1123Subdomain(name).length > 0)
    return genericError(`invalid resource name ${quoteGo(name)}: must be a valid DNS label`, path);
  if (name.length > maxNameLength)
    return genericError('Invalid resource name: length must be no more than 63 characters', path);
  return noFieldErrors;
}
