import { isClientError } from '@tektite/client';
import { isStatusError, type StatusError } from '@tektite/meta';
import { isManifestError, ManifestError, type ManifestErrorCode } from '../manifest-error.ts';
import { describeObject, type ObjectReference } from '../object-identity.ts';
import { formatOrigin, type Origin } from '../origin.ts';

/** A field of another field manager. */
export interface FieldConflict {
  readonly manager: string;
  /** `.spec.replicas`. */
  readonly field: string;
}

/** The conflicts a refused apply names; empty for a failure of another kind. */
export function conflictsOf(error: unknown): readonly FieldConflict[] {
  if (!isStatusError(error, 'Conflict')) return [];
  return (error.status.details?.causes ?? [])
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ message = '', field = '' }) => ({ manager: /"((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? message, field }));
}

/** How servers say that a field cannot be changed, beside plain "field is immutable". */
const immutable = [
  'field is immutable',
  'updates to statefulset spec for fields other than',
  'cannot change roleRef',
  'may not be changed in an update',
  'pod updates may not change fields other than',
  'is immutable after creation',
];

/** Whether an object has to be recreated to reach the desired state; the fields that are the reason. */
export function recreateReason(error: unknown): string | undefined {
  if (!isStatusError(error, 'Invalid')) return undefined;
  const causes = error.status.details?.causes ?? [];
  const found = causes.filter(({ message = '' }) => immutable.some((words) => message.includes(words)));
  if (found.length === 0) return immutable.some((words) => error.message.includes(words)) ? error.message : undefined;
  return found.map(({ field = '', message = '' }) => `${field}: ${shorten(message)}`).join('; ');
}

/** Messages may have the whole value in them. */
function shorten(message: string): string {
  const words = immutable.find((each) => message.includes(each)) as string;
  return words === 'field is immutable' ? words : message.slice(message.indexOf(words));
}

/** Any failure to do something with an object, as an error that names it. */
export function explainFailure(error: unknown, reference: ObjectReference, origin?: Origin): ManifestError {
  if (isManifestError(error)) return error;
  const what = `${origin ? `${formatOrigin(origin)}: ` : ''}${describeObject(reference)}`;
  const place = origin ? { place: origin } : {};
  const conflicts = conflictsOf(error);
  if (conflicts.length > 0) {
    const list = conflicts.map(({ manager, field }) => `${field} (${manager})`).join(', ');
    return new ManifestError(
      'CONFLICT',
      `${what}: others own fields that are to be set: ${list}; force it, or leave them out`,
      {
        cause: error,
        details: { conflicts },
        ...place,
      },
    );
  }
  const reason = recreateReason(error);
  if (reason)
    return new ManifestError('NEEDS_RECREATE', `${what}: it has to be deleted and recreated: ${reason}`, {
      cause: error,
      details: { reason },
      ...place,
    });
  const code = codeOf(error);
  if (code === undefined) throw error;
  return new ManifestError(code, `${what}: ${(error as Error).message}`, {
    cause: error,
    ...(isStatusError(error) ? { details: { status: error.status } } : {}),
    ...place,
  });
}

function codeOf(error: unknown): ManifestErrorCode | undefined {
  if (isClientError(error, 'UNKNOWN_KIND')) return 'UNKNOWN_KIND';
  if (isClientError(error)) return error.code === 'INVALID_REQUEST' ? 'INVALID' : 'UNREACHABLE';
  if (!isStatusError(error)) return undefined;
  const { reason }: StatusError = error;
  if (reason === 'Forbidden' || reason === 'Unauthorized') return 'FORBIDDEN';
  return 'INVALID';
}
