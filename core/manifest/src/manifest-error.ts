/** Error codes; their meaning never changes. */
export const manifestErrorCodes = {
  SOURCE: 'a source could not be read',
  PROGRAM_MISSING: 'a program that a source needs is not installed',
  PARSE: 'a text is no YAML, or a document in it is no Kubernetes object',
  DUPLICATE: 'two objects of a manifest are the same one',
  TRANSFORM: 'a transform failed on an object',
  INVALID_OPTION: 'an option cannot be meant',
  CYCLE: 'objects depend on each other in a circle',
  CONFLICT: 'another field manager owns fields that were to be set',
  INVALID: 'the server refuses the object',
  NEEDS_RECREATE: 'a field cannot be changed on an object that exists',
  FORBIDDEN: 'the user is not allowed to do this',
  UNREACHABLE: 'the server could not be asked, or did not answer',
  UNKNOWN_KIND: 'the server does not know the kind',
  NOT_ESTABLISHED: 'a CustomResourceDefinition was not established in time',
  TIMEOUT: 'objects did not become ready, or go away, in time',
  FAILED: 'objects failed while they were waited for',
  PARTIAL: 'some objects were applied, and some were not',
  APPLY_SET: 'the parent of a set of objects cannot be used',
  PLAN_OUTDATED: 'the cluster changed after the plan was made',
  HISTORY: 'the history of a set does not have what was asked for',
} as const;

export type ManifestErrorCode = keyof typeof manifestErrorCodes;

/** Where in a text something is, from 1. */
export interface TextPlace {
  readonly source: string;
  readonly document?: number;
  readonly line?: number;
  readonly column?: number;
}

const brand = Symbol.for('tektite.ManifestError');

/** A failure of the manifest engine. The message names the object or the place, and what to do. */
export class ManifestError extends Error {
  readonly code: ManifestErrorCode;
  readonly place: TextPlace | undefined;
  /** Details for programs; JSON. */
  readonly details: unknown;
  readonly [brand] = true;

  constructor(
    code: ManifestErrorCode,
    message: string,
    options: ErrorOptions & { readonly place?: TextPlace; readonly details?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ManifestError';
    this.code = code;
    this.place = options.place;
    this.details = options.details;
  }

  toJSON(): object {
    const { code, message, place, details } = this;
    return { code, message, ...(place ? { place } : {}), ...(details === undefined ? {} : { details }) };
  }
}

/** Whether `error` is a ManifestError, and with one of these codes if any are given. Holds across duplicate installs. */
export function isManifestError(error: unknown, ...codes: readonly ManifestErrorCode[]): error is ManifestError {
  return (
    typeof error === 'object' &&
    error !== null &&
    brand in error &&
    (codes.length === 0 || codes.includes((error as ManifestError).code))
  );
}

/** `file.yaml:12:3`, as editors and terminals like it. */
export function formatPlace({ source, line, column }: TextPlace): string {
  return [source, line, column].filter((part) => part !== undefined).join(':');
}
