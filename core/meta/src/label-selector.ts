import { type FieldError, forbidden, invalid, quoteGo, required } from './field-error.ts';
import type { FieldPath } from './field-path.ts';
import {
  formatRequirement,
  type LabelOperator,
  type LabelRequirement,
  labelRequirement,
  matchesRequirement,
  SelectorError,
} from './label-requirement.ts';
import { parseLabelRequirements } from './label-selector-parser.ts';
import { validateLabelValue, validateQualifiedName } from './names.ts';

/** `metav1.LabelSelector`: the form selectors have inside objects. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorExpression[];
}

export interface LabelSelectorExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** A selector ready to be asked. */
export interface Selector {
  /** All must hold. */
  readonly requirements: readonly LabelRequirement[];
  /** Whether it selects everything. */
  readonly isEmpty: boolean;
  matches(labels: Labels | undefined): boolean;
  /** The canonical string form, which parses back to the same selector. */
  toString(): string;
}

const noLabels: Labels = {};

/** A selector of requirements that were checked before. */
export function selectorOf(requirements: readonly LabelRequirement[]): Selector {
  return {
    requirements,
    isEmpty: requirements.length === 0,
    matches(labels = noLabels) {
      for (const requirement of requirements) if (!matchesRequirement(requirement, labels)) return false;
      return true;
    },
    toString: () => requirements.map(formatRequirement).join(','),
  };
}

/** Selects all objects. */
export const selectEverything: Selector = selectorOf([]);

/** Selects no object. Prints as the empty string, like its opposite; that is upstream's way too. */
export const selectNothing: Selector = {
  requirements: [],
  isEmpty: false,
  matches: () => false,
  toString: () => '',
};

/**
 * Reads the string form, as in `?labelSelector=`. Throws a {@link SelectorError}.
 *
 * @example
 * parseLabelSelector('app in (web,api),!canary').matches({ app: 'web' }) // true
 */
export function parseLabelSelector(text: string): Selector {
  return text === '' ? selectEverything : selectorOf(parseLabelRequirements(text));
}

/** Exactly these labels; unlike the other constructors it does not check them. */
export function selectorFromLabels(labels: Labels): Selector {
  const keys = Object.keys(labels).sort();
  return selectorOf(keys.map((key) => ({ key, operator: '=', values: [labels[key] as string] })));
}

const operatorOf = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/**
 * Reads the object form. No selector at all selects nothing, an empty one selects everything. Throws a
 * {@link SelectorError}.
 */
export function labelSelectorOf(selector: LabelSelector | null | undefined): Selector {
  if (!selector) return selectNothing;
  const requirements = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    labelRequirement(key, '=', [value]),
  );
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = operatorOf.get(operator);
    if (!known) throw new SelectorError(`${quoteGo(operator)} is not a valid label selector operator`);
    requirements.push(labelRequirement(key, known, values && values.length > 0 ? values : undefined));
  }
  if (requirements.length === 0) return selectEverything;
  return selectorOf(requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
}

/** How kubectl and `scale` print the object form. */
export function formatLabelSelector(selector: LabelSelector | null | undefined): string {
  try {
    return labelSelectorOf(selector).toString() || '<none>';
  } catch {
    return '<error>';
  }
}

/** Validates a selector inside an object. */
export function validateLabelSelector(selector: LabelSelector | null | undefined, path: FieldPath): FieldError[] {
  const errors = validateLabels(selector?.matchLabels, path.child('matchLabels'));
  selector?.matchExpressions?.forEach((expression, index) => {
    errors.push(...validateExpression(expression, path.child('matchExpressions').index(index)));
  });
  return errors;
}

function validateExpression({ key, operator, values = [] }: LabelSelectorExpression, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
  } else errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  for (const violation of validateQualifiedName(key ?? ''))
    errors.push(invalid(path.child('key'), key ?? '', violation));
  values.forEach((value, index) => {
    for (const violation of validateLabelValue(value))
      errors.push(invalid(path.child('values').index(index), value, violation));
  });
  return errors;
}

/** Validates a map of labels. All errors are about the map: upstream does not name the key in the path. */
export function validateLabels(labels: Labels | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const violation of validateQualifiedName(key)) errors.push(invalid(path, key, violation));
    for (const violation of validateLabelValue(value)) errors.push(invalid(path, value, violation));
  }
  return errors;
}
