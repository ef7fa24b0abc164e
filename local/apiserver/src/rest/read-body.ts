import { type JsonDocument, isDecodeError } from '@tektite/go';
import { badRequestError, StatusError } from '@tektite/meta';
import { strictErrorWarnings } from '../codec/strict-error-warnings.ts';
import { keepClearedManagers } from '../store/draft-metadata.ts';
import type { Decoded, FieldValidation, Resource } from '../registry/resource.ts';
import type { RequestContext } from './request-context.ts';

/**
 * The object in a request's body, decoded as strictly as the request asks. Strict decoding errors become warnings or an
 * error.
 */
export function readObject(
  context: RequestContext,
  resource: Resource,
  validation: FieldValidation,
): Decoded['object'] {
  const { request } = context;
  const document = resource.readBody(
    request.body ?? new Uint8Array(),
    request.headers['content-type'] ?? 'application/json',
  );
  const { object, strictErrors } = decodeAs(resource, document);
  keepClearedManagers(document.value, object);
  if (validation === 'Strict' && strictErrors.length > 0)
    throw cannotHandle(resource, `strict decoding error: ${strictErrors.join(', ')}`);
  if (validation === 'Warn')
    for (const warning of strictErrors.flatMap(strictErrorWarnings)) context.warnings.add(warning);
  return object;
}

function decodeAs(resource: Resource, document: JsonDocument): Decoded {
  try {
    return resource.decode(document);
  } catch (error) {
    if (isDecodeError(error)) throw cannotHandle(resource, error.message);
    throw error;
  }
}

function cannotHandle(resource: Resource, message: string): StatusError {
  const { kind, version } = resource;
  return badRequestError(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${message}`);
}

export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** A body in an unsupported format. */
export function unsupportedMediaTypeError(accepted: readonly string[]): StatusError {
  return new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });
}
