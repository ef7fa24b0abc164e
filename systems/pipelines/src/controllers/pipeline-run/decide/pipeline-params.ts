import { quoteGo } from '@tektite/meta';
import type { Param, ParamSpec, ParamValue } from '../../../kinds/param.ts';
import { ReplacementSet, type Replacements } from '../../../substitution/replacements.ts';
import { replaceRecord, replaceText } from '../../../substitution/replace-text.ts';
import { variablesInText } from '../../../pipeline/result-reference.ts';

const deepest = 10;

/** Defaults that refer to each other in a circle, too deeply, or to nothing there is. */
export class ParamReferenceError extends Error {
  override readonly name = 'ParamReferenceError';
}

const formsOf = (name: string) => [`params.${name}`, `params["${name}"]`, `params['${name}']`];

/** The parameters of a run. */
export function givenParams(params: readonly Param[]): ReplacementSet {
  const set = new ReplacementSet();
  for (const { name, value } of params) addParam(set, name, value, 'given');
  return set;
}

/**
 * The values of the parameters of a Pipeline. Unlike those of Tasks, defaults may refer to parameters whose defaults
 * refer to others in turn. An object is taken as a whole: keys that a run leaves out are not there. Throws a {@link
 * ParamReferenceError}.
 */
export function pipelineParams(specs: readonly ParamSpec[], params: readonly Param[]): Replacements {
  const set = givenParams(params);
  const open = new Map<string, string>();
  for (const { name, default: value } of specs)
    if (typeof value === 'string' && !set.strings.has(`params.${name}`))
      for (const form of formsOf(name)) open.set(form, value);
  for (const [form, value] of open) if (!set.strings.has(form)) resolveText(form, value, set, open, new Set());
  for (const { name, default: value } of specs) {
    if (value === undefined || typeof value === 'string') continue;
    if (set.arrays.has(`params.${name}`) || set.objects.has(`params.${name}`)) continue;
    const resolved = Array.isArray(value)
      ? value.map((item: string) => replaceText(item, set))
      : replaceRecord(value as Readonly<Record<string, string>>, set);
    addParam(set, name, resolved, 'default');
  }
  return set;
}

function resolveText(
  form: string,
  value: string,
  set: ReplacementSet,
  open: ReadonlyMap<string, string>,
  visiting: Set<string>,
): void {
  const fail = (why: string) => new ParamReferenceError(`parameter resolution failed: ${why}`);
  if (visiting.has(form)) throw fail(`circular dependency detected in param ${quoteGo(form)}`);
  if (visiting.size > deepest) throw fail(`maximum recursion depth (${deepest}) exceeded for param ${quoteGo(form)}`);
  visiting.add(form);
  for (const name of variablesInText(value)) {
    if (!name.startsWith('params.') || set.strings.has(name)) continue;
    const next = open.get(name);
    if (next === undefined) throw fail(`param ${quoteGo(form)} references undefined param ${quoteGo(name)}`);
    resolveText(name, next, set, open, visiting);
  }
  visiting.delete(form);
  set.strings.set(form, replaceText(value, set));
}

function addParam(set: ReplacementSet, name: string, value: ParamValue, from: 'given' | 'default'): void {
  const forms = formsOf(name);
  for (const form of forms) {
    if (typeof value === 'string') set.strings.set(form, value);
    else if (Array.isArray(value)) {
      set.arrays.set(form, value as readonly string[]);
      for (const [index, item] of value.entries()) set.strings.set(`${form}[${index}]`, item as string);
    } else set.objects.set(form, value as Readonly<Record<string, string>>);
  }
  if (typeof value === 'string' || Array.isArray(value)) return;
  // Keys of defaults can be called in all forms, those of given values only with dots.
  for (const [key, item] of Object.entries(value))
    for (const form of from === 'given' ? forms.slice(0, 1) : forms) set.strings.set(`${form}.${key}`, item);
}
