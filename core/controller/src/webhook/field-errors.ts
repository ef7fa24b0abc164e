import { mergeMistakes, type FieldMistake, type MistakeLevel } from './field-mistake.ts';
import { joinFieldPath } from './join-field-path.ts';

/**
 * What is wrong with an object, said the way Knative's webhooks (and so Tekton's) say it: a message, the paths it holds for,
 * and sometimes details. Values are immutable; every method gives a new one.
 *
 * Validation works from the inside out: a function that checks a part names paths within the part, and whoever called it
 * puts the way there in front with `viaField`, `viaIndex` or `viaKey`.
 *
 * @example
 * const errors = noFieldErrors
 *   .also(step.image ? undefined : missingField('image'))
 *   .viaFieldIndex('steps', 0)
 *   .viaField('spec');
 * errors.toString(); // missing field(s): spec.steps[0].image
 */
export class FieldErrors {
  /** As they were found: not merged, not sorted. */
  readonly mistakes: readonly FieldMistake[];

  constructor(mistakes: readonly FieldMistake[]) {
    this.mistakes = mistakes;
  }

  get isEmpty(): boolean {
    return this.mistakes.length === 0;
  }

  /** These and others together. */
  also(...others: readonly (FieldErrors | undefined)[]): FieldErrors {
    const added = others.flatMap((errors) => errors?.mistakes ?? []);
    return added.length === 0 ? this : new FieldErrors([...this.mistakes, ...added]);
  }

  /** The same mistakes, seen from the object that has this field. */
  viaField(...prefix: readonly string[]): FieldErrors {
    if (this.isEmpty) return this;
    return new FieldErrors(
      this.mistakes.map((mistake) => ({
        ...mistake,
        paths: mistake.paths.map((path) => joinFieldPath([...prefix, path])),
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

  /** The same mistakes, all of that level. */
  at(level: MistakeLevel): FieldErrors {
    return new FieldErrors(this.mistakes.map((mistake) => ({ ...mistake, level })));
  }

  /** Only those of that level. */
  filter(level: MistakeLevel): FieldErrors {
    return new FieldErrors(this.mistakes.filter((mistake) => mistake.level === level));
  }

  /** One mistake per message, with all its paths, in the order in which they are told. */
  merged(): readonly FieldMistake[] {
    return mergeMistakes(this.mistakes);
  }

  /** The text that users see after `validation failed: `. */
  toString(): string {
    return this.merged().map(formatMistake).join('\n');
  }
}

/** `message: path, path`, and details below. A mistake without a path keeps its colon: that is how upstream prints it. */
export function formatMistake({ message, paths, details }: FieldMistake): string {
  const line = `${message}: ${paths.join(', ')}`;
  return details === '' ? line : `${line}\n${details}`;
}
