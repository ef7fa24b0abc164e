import { type FieldErrors, noFieldErrors } from '@tektite/controller/field-errors';
import type { Step } from '../../kinds/task-spec.ts';
import { allErrors } from './all-errors.ts';
import type { TextCheck } from './validate-variables.ts';

/** The checks of the texts of a step: those that stand alone, and those that are items of `command` and `args`. */
export interface StepChecks {
  readonly text: TextCheck;
  readonly item: TextCheck;
  /** Where it differs from `text`. */
  readonly script?: TextCheck;
}

/** Upstream spells some fields of a mount in its own way, and not always the same. */
export interface StepPaths {
  readonly mountPath: string;
  readonly subPath: string;
}

/** All errors in the texts of a step in which variables are replaced. */
export function checkStepTexts(step: Step, { text, item, script = text }: StepChecks, paths: StepPaths): FieldErrors {
  const { name = '', image = '', workingDir = '', command = [], args = [], env = [], volumeMounts = [] } = step;
  return allErrors([
    text(name)?.viaField('name'),
    text(image)?.viaField('image'),
    text(workingDir)?.viaField('workingDir'),
    script(step.script ?? '')?.viaField('script'),
    ...command.map((each, index) => item(each)?.viaFieldIndex('command', index)),
    ...args.map((each, index) => item(each)?.viaFieldIndex('args', index)),
    ...env.map((entry) => text(entry.value ?? '')?.viaFieldKey('env', entry.name)),
    ...volumeMounts.flatMap((mount, index) => [
      text(mount.name)?.viaField('name').viaFieldIndex('volumeMount', index),
      text(mount.mountPath)?.viaField(paths.mountPath).viaFieldIndex('volumeMount', index),
      text(mount.subPath ?? '')
        ?.viaField(paths.subPath)
        .viaFieldIndex('volumeMount', index),
    ]),
  ]);
}

/** Each step checked on its own. */
export function checkSteps(steps: readonly Step[], check: (step: Step) => FieldErrors): FieldErrors {
  return allErrors(steps.map((step, index) => check(step).viaFieldIndex('steps', index)));
}

/** More errors are never read. Each has a path as long as the list of steps. */
const maxNested = 100;

/**
 * Each step checked, as upstream does it for lists and objects: the place of a step is put in front of the errors of all
 * steps before it too (`steps[1].steps[0].script`).
 */
export function checkStepsNested(steps: readonly Step[], check: (step: Step) => FieldErrors): FieldErrors {
  let errors = noFieldErrors;
  let place = '';
  for (let index = steps.length - 1; index >= 0 && errors.errors.length < maxNested; index--) {
    place += `${place === '' ? '' : '.'}steps[${index}]`;
    const found = check(steps[index] as Step);
    if (!found.isEmpty) errors = errors.also(found.viaField(place));
  }
  return errors;
}
