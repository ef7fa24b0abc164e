import { compareGoStrings } from '@tektite/go';

/** Whether an error denies the request or is only a warning. */
export type DiagnosticLevel = 'error' | 'warning';

/** One thing that is wrong, in one or several places. */
export interface KnativeFieldError {
  readonly level: DiagnosticLevel;
  readonly message: string;
  readonly paths: readonly string[];
  /** A longer explanation, or empty. */
  readonly details: string;
}

/**
 * Merges errors with the same level, message and details and sorts them by message, then details; paths are sorted too.
 * Paths that one error names twice stay double, those that two name do not: upstream's way.
 */
export function mergeFieldErrors(errors: readonly KnativeFieldError[]): readonly KnativeFieldError[] {
  const merged = new Map<
    string,
    { readonly error: KnativeFieldError; readonly paths: string[]; readonly seen: Set<string> }
  >();
  for (const error of errors) {
    if (error.message === '') continue;
    const key = `${error.level}-${error.message}-${error.details}`;
    const known = merged.get(key);
    // Duplicate paths of the first error stay, as upstream has it.
    if (!known) merged.set(key, { error, paths: [...error.paths], seen: new Set(error.paths) });
    for (const path of known ? error.paths : []) {
      if (known?.seen.has(path)) continue;
      known?.seen.add(path);
      known?.paths.push(path);
    }
  }
  return [...merged.values()]
    .map(({ error, paths }) => ({ ...error, paths: paths.sort(compareGoStrings) }))
    .sort(compareFieldErrors);
}

function compareFieldErrors(a: KnativeFieldError, b: KnativeFieldError): number {
  return (
    compareGoStrings(a.message, b.message) ||
    compareGoStrings(a.details, b.details) ||
    (a.level === b.level ? 0 : a.level === 'error' ? -1 : 1)
  );
}
