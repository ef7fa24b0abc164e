import { badRequestError, StatusError } from '@tektite/meta';
import { type Decoded, DecodeError, type FieldValidation, type RawBody, type Resource } from '../registry/resource.ts';
import type { RequestContext } from './request-context.ts';

/** The object in a request's body, read as strictly as the request asks. Complaints become warnings or an error. */
export function readObject(
  context: RequestContext,
  resource: Resource,
  validation: FieldValidation,
): Decoded['object'] {
  const { request } = context;
  const raw = resource.readBody(
    request.body ?? new Uint8Array(),
    request.headers['content-type'] ?? 'application/json',
    validation,
  );
  const decoded = decodeAs(resource, raw.value);
  const complaints = complaintsOf(raw, decoded, validation);
  if (complaints.length > 0) {
    if (validation === 'Strict') throw cannotHandle(resource, `strict decoding error: ${complaints.join(', ')}`);
    for (const complaint of complaints) context.warnings.add(complaint);
  }
  return decoded.object;
}

export function complaintsOf(raw: RawBody, decoded: Decoded, validation: FieldValidation): readonly string[] {
  return validation === 'Ignore' ? [] : [...raw.duplicates, ...decoded.unknown];
}

function decodeAs(resource: Resource, value: unknown): Decoded {
  try {
    return resource.decode(value);
  } catch (error) {
    if (error instanceof DecodeError) throw cannotHandle(resource, error.message);
    throw error;
  }
}

function cannotHandle(resource: Resource, message: string): StatusError {
  if (resource.custom) return badRequestError(`${message}`);
  return badRequestError(
    `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: ${message}`,
  );
}

export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** A body in a format nobody reads. */
export function unsupportedMediaTypeError(accepted: readonly string[]): StatusError {
  return new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });
}
