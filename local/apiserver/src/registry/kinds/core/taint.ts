import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  validateLabelValue,
  validateQualifiedName,
  notSupported,
  required,
} from '@tektite/meta';
import type { Taint } from '@tektite/schema/kubernetes';
import { checkText } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTaintEffect(effect: string, path: FieldPath, errors: FieldError[]): void {
  if (!effects.includes(effect)) errors.push(notSupported(path, effect, effects));
}

export function validateTaints(taints: readonly Taint[], path: FieldPath, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const { key = '', value = '', effect = '' } = taint;
    const at = path.index(i);
    checkText(key, validateQualifiedName, at.child('key'), errors);
    const violations = validateLabelValue(value);
    if (violations.length > 0) errors.push(invalid(at.child('value'), value, violations.join(';')));
    if (effect === '') errors.push(required(at.child('effect')));
    else validateTaintEffect(effect, at.child('effect'), errors);
    const identity = `${effect}/${key}`;
    if (seen.has(identity)) {
      const error = duplicate(at, goValue('Taint', taint));
      errors.push({ ...error, message: `${error.message}: taints must be unique by key and effect pair` });
    }
    seen.add(identity);
  }
}
