import { mergeFieldErrors, type KnativeFieldError, type DiagnosticLevel } from './knative-field-error.ts';
import { joinFieldPath } from './join-field-path.ts';

/**
 * Validation errors in the format of Knative's webhooks (and so Tekton's): a message, the paths it holds for, and
 * sometimes details. Values are immutable; every method gives a new one.
 *
 * Validation works from the inside out: a function that checks a part names paths within the part, and its caller
 * prefixes the path with `viaField`, `viaIndex` or `viaKey`.
 *
 * @example const errors = noFieldErrors .also(step.image ? undefined : missingField('image')) .viaFieldIndex('steps',
 * 0) .viaField('spec'); errors.toString(); // missing field(s): spec.steps[0].image
 */
export class FieldErrors {
  /** As they were found: not merged, not sorted. */
  readonly errors: readonly KnativeFieldError[];

  constructor(errors: readonly KnativeFieldError[]) {
    this.errors = errors;
  }

  get isEmpty(): boolean {
    return this.errors.length === 0;
  }

  /** These and others together. */
  also(...others: readonly (FieldErrors | undefined)[]): FieldErrors {
    const added = others.flatMap((errors) => errors?.errors ?? []);
    return added.length === 0 ? this : new FieldErrors([...this.errors, ...added]);
  }

  /** The same errors, relative to the object that has this field. */
  viaField(...prefix: readonly string[]): FieldErrors {
    if (this.isEmpty) return this;
    return new FieldErrors(
      this.errors.map((error) => ({
        ...error,
        paths: error.paths.map((path) => joinFieldPath([...prefix, path])),
      })),
    );
  }

  viaIndex(index: number): FieldErrors {
    return this.viaField(`[${index}]`);
  }

  viaFieldIndex(field: string, index: number): FieldErrors {
    return this.viaIndex(index).viaField(field);
  }

  viaKey(key: string): FieldErrors {
    return this.viaField(`[${key}]`);
  }

  viaFieldKey(field: string, key: string): FieldErrors {
    return this.viaKey(key).viaField(field);
  }

  /** The same errors, all of that level. */
  at(level: DiagnosticLevel): FieldErrors {
    return new FieldErrors(this.errors.map((error) => ({ ...error, level })));
  }

  /** Only those of that level. */
  filter(level: DiagnosticLevel): FieldErrors {
    return new FieldErrors(this.errors.filter((error) => error.level === level));
  }

  /** One error per message, with all its paths, in the order in which they are printed. */
  merged(): readonly KnativeFieldError[] {
    return mergeFieldErrors(this.errors);
  }

  /** The text that users see after `validation failed: `. */
  toString(): string {
    return this.merged().map(formatFieldError).join('\n');
  }
}

/** `message: path, path`, and details below. An error without a path keeps its colon: upstream prints it so. */
export function formatFieldError({ message, paths, details }: KnativeFieldError): string {
  const line = `${message}: ${paths.join(', ')}`;
  return details === '' ? line : `${line}\n${details}`;
}
