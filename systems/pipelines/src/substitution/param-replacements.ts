import type { Param, ParamSpec, ParamValue } from '../kinds/param.ts';
import { spend } from './size-limit.ts';
import { ReplacementSet, type Replacements } from './replacements.ts';

/** How a parameter can be called. Names with dots need the brackets. */
const taskForms = (name: string) => [
  `params.${name}`,
  `params["${name}"]`,
  `params['${name}']`,
  `inputs.params.${name}`,
];
/** All ways to call a parameter of a Task. */
export const paramForms: (name: string) => readonly string[] = taskForms;
const pipelineForms = (name: string) => taskForms(name).slice(0, 3);

/** The values of the parameters of a Task or Pipeline: from the run, or the defaults. */
export function paramReplacements(
  specs: readonly ParamSpec[],
  params: readonly Param[],
  level: 'task' | 'pipeline',
): Replacements {
  const forms = level === 'task' ? taskForms : pipelineForms;
  const set = new ReplacementSet();
  addDefaults(set, specs, forms);
  for (const { name, value } of params) {
    const base = specs.find((spec) => spec.name === name)?.default;
    addValue(set, name, value, forms);
    // Keys of an object that the run leaves out keep their defaults; `addValue` has set those of both.
    if (isObject(value) && base !== undefined && isObject(base))
      for (const form of forms(name)) set.objects.set(form, { ...base, ...value });
  }
  return set;
}

const references = /\$\(params\.([_a-zA-Z0-9.-]+)\)/g;

/**
 * Defaults that are texts may refer to other parameters: to the defaults of these, whatever a run gives, and with effect for
 * the last such reference only. One that refers to nothing known stands for nothing, so that its variable stays in the text.
 */
function addDefaults(
  set: ReplacementSet,
  specs: readonly ParamSpec[],
  forms: (name: string) => readonly string[],
): void {
  const refers = (value: ParamValue | undefined) => typeof value === 'string' && value.includes('$(params.');
  for (const { name, default: value } of specs)
    if (value !== undefined && !refers(value)) addValue(set, name, value, forms);
  for (const { name, default: value } of specs) {
    if (typeof value !== 'string' || !refers(value)) continue;
    for (const [reference, other = ''] of value.matchAll(references)) {
      const found = set.strings.get(`params.${other}`);
      if (found === undefined) continue;
      spend((value.split(reference).length - 1) * found.length);
      addValue(
        set,
        name,
        value.replaceAll(reference, () => found),
        forms,
      );
    }
  }
}

/** Adds what one parameter of a Task stands for, by all its names. */
export function addParamValue(set: ReplacementSet, name: string, value: ParamValue): void {
  addValue(set, name, value, taskForms);
}

function addValue(
  set: ReplacementSet,
  name: string,
  value: ParamValue,
  forms: (name: string) => readonly string[],
): void {
  for (const form of forms(name)) {
    if (typeof value === 'string') set.strings.set(form, value);
    else if (isObject(value)) set.objects.set(form, value);
    else {
      set.arrays.set(form, value);
      value.forEach((item, index) => set.strings.set(`${form}[${index}]`, item));
    }
  }
  // A key is only ever called with dots.
  if (isObject(value)) for (const [key, item] of Object.entries(value)) set.strings.set(`params.${name}.${key}`, item);
}

function isObject(value: ParamValue): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && !Array.isArray(value);
}
