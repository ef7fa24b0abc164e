import { type FieldErrors, genericError, noFieldErrors } from '@tektite/controller/field-errors';
import { quoteGo } from '@tektite/meta';
import type { ParamSpec } from '../../kinds/param.ts';
import { allErrors } from './all-errors.ts';
import { expressionsIn } from '../../substitution/variable-references.ts';

/** Defaults may refer to other parameters, but to those that there are, and not in a circle. */
export function validateDefaultReferences(params: readonly ParamSpec[]): FieldErrors {
  const names = new Set(params.map(({ name }) => name));
  let errors = noFieldErrors;
  const resolved = new Set<string>();
  const sound = new Map<string, readonly string[]>();
  for (const param of params) {
    const { name } = param;
    const others = namesInDefault(param);
    const unknown = others.filter((other) => !names.has(other));
    if (others.length === 0) resolved.add(name);
    else if (unknown.length === 0) sound.set(name, others);
    for (const other of unknown) {
      const message = `param ${quoteGo(name)} default value references param ${quoteGo(other)} which is not defined`;
      errors = errors.also(genericError(message, 'params'));
    }
  }
  const circles = unresolvable(sound, resolved);
  return errors.also(
    allErrors(
      circles.map((name) => genericError(`param ${quoteGo(name)} default value has a circular dependency`, 'params')),
    ),
  );
}

function namesInDefault({ default: value }: ParamSpec): readonly string[] {
  const text = typeof value === 'string' ? value : '';
  return expressionsIn(text, 'params').map((each) => each.replace(/^\$\(params\./, '').replace(/\)$/, ''));
}

/** Removes repeatedly everything whose needs are removed, and returns the rest. */
function unresolvable(needed: ReadonlyMap<string, readonly string[]>, given: ReadonlySet<string>): readonly string[] {
  const left = new Map(needed);
  const resolved = new Set(given);
  for (let before = -1; before !== resolved.size; ) {
    before = resolved.size;
    for (const [name, others] of left) {
      if (!others.every((other) => resolved.has(other))) continue;
      resolved.add(name);
      left.delete(name);
    }
  }
  return [...left.keys()];
}
