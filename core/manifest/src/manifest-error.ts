import { defineErrors, type ErrorCode } from '@tektite/meta';

export const manifestErrors = defineErrors('manifest', 'ManifestError', {
  SOURCE: {
    when: 'a source could not be read',
    fix: 'check that the path or URL exists and may be read',
  },
  PROGRAM_MISSING: {
    when: 'a program that a source needs is not installed',
    fix: 'install the program that the message names',
  },
  PARSE: {
    when: 'a text is no YAML, or a document in it is no Kubernetes object',
    fix: 'correct the line that the message names',
  },
  DUPLICATE: {
    when: 'two objects of a manifest are the same one',
    fix: 'remove one of them',
  },
  TRANSFORM: {
    when: 'a transform failed on an object',
    fix: 'correct the transform; the cause has the reason',
  },
  INVALID_OPTION: {
    when: 'an option has a value that is not possible',
    fix: 'correct the option that the message names',
  },
  CYCLE: {
    when: 'objects depend on each other in a circle',
    fix: 'remove one of the dependencies that the message lists',
  },
  CONFLICT: {
    when: 'another field manager owns fields that were to be set',
    fix: 'leave the fields out, or force the conflict',
  },
  INVALID: {
    when: 'the server rejects the object',
    fix: 'correct the fields that the message names',
  },
  NEEDS_RECREATE: {
    when: 'a field cannot be changed on an object that exists',
    fix: 'delete the object and apply again, or allow recreation',
  },
  FORBIDDEN: {
    when: 'the user is not allowed to do this',
    fix: 'ask for the role that the message names',
  },
  UNREACHABLE: {
    when: 'the server could not be asked, or did not answer',
    fix: 'check the address and the network, then try again',
  },
  UNKNOWN_KIND: {
    when: 'the server does not know the kind',
    fix: 'apply the CustomResourceDefinition first, or correct apiVersion and kind',
  },
  NOT_ESTABLISHED: {
    when: 'a CustomResourceDefinition was not established in time',
    fix: 'read the conditions of the CustomResourceDefinition',
  },
  TIMEOUT: {
    when: 'objects did not become ready, or were not deleted, in time',
    fix: 'read the conditions and Events of the objects, or raise the timeout',
  },
  FAILED: {
    when: 'objects failed while they were waited for',
    fix: 'read the conditions and Events of the objects',
  },
  PARTIAL: {
    when: 'some objects were applied, and some were not',
    fix: 'correct the first error and apply again; objects that are applied stay as they are',
  },
  APPLY_SET: {
    when: 'the parent of a set of objects cannot be used',
    fix: 'name another set, or delete the parent that the message names',
  },
  PLAN_OUTDATED: {
    when: 'the cluster changed after the plan was made',
    fix: 'make a new plan',
  },
  HISTORY: {
    when: 'the history of a set does not have the requested revision, or cannot keep one',
    fix: 'choose one of the revisions that the message lists',
  },
});

export type ManifestErrorCode = ErrorCode<typeof manifestErrors>;

/** Where in a text something is, from 1. */
export interface TextPlace {
  readonly source: string;
  readonly document?: number;
  readonly line?: number;
  readonly column?: number;
}

/** A failure of the manifest engine. The message names the object or the place, and what to do. */
export class ManifestError extends manifestErrors.Error {
  readonly place: TextPlace | undefined;
  /** Details for programs; JSON. */
  readonly details: unknown;

  constructor(
    code: ManifestErrorCode,
    message: string,
    options: ErrorOptions & { readonly place?: TextPlace; readonly details?: unknown } = {},
  ) {
    super(code, message, options.cause === undefined ? undefined : { cause: options.cause });
    this.place = options.place;
    this.details = options.details;
  }

  toJSON(): object {
    const { code, message, place, details } = this;
    return { code, message, ...(place ? { place } : {}), ...(details === undefined ? {} : { details }) };
  }
}

/** Whether `error` is a ManifestError, and with one of these codes if any are given. */
export function isManifestError(error: unknown, ...codes: readonly ManifestErrorCode[]): error is ManifestError {
  return manifestErrors.is(error, ...codes);
}

/** `file.yaml:12:3`, as editors and terminals like it. */
export function formatPlace({ source, line, column }: TextPlace): string {
  return [source, line, column].filter((part) => part !== undefined).join(':');
}
