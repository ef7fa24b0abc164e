import type { Param, ParamSpec, ParamValue } from '../kinds/param.ts';
import type { StepActionSpec } from '../kinds/step-action-spec.ts';
import type { Step, TaskSpec } from '../kinds/task-spec.ts';
import { addParamValue, paramForms, paramReplacements } from './param-replacements.ts';
import { replaceInStep } from './replace-in-task.ts';
import { replaceValue } from './replace-text.ts';
import { type Replacements, ReplacementSet } from './replacements.ts';
import { parseStepResult } from './step-result-reference.ts';

/** A step that does what a StepAction says, with its parameters replaced. What the step says of its security gets lost. */
export function applyStepAction(step: Step, action: StepActionSpec, replacements: Replacements): Step {
  const { description: _, params: __, ...fields } = action;
  const { ref: ___, params: ____, securityContext: _____, workingDir: ______, ...own } = step;
  const said = replaceInStep(fields, replacements);
  return {
    ...own,
    ...said,
    ...(own.command && !said.command?.length ? { command: own.command } : {}),
    ...(own.args && !said.args?.length ? { args: own.args } : {}),
  };
}

/**
 * The values of the parameters of a StepAction: from the step, with the parameters of its Task replaced, or the
 * defaults, which may refer to each other. Throws an error in upstream's words when they do not fit together.
 */
export function stepActionReplacements(
  step: Step,
  { params: specs = [], command = [], args = [], env = [] }: StepActionSpec,
  task: TaskSpec,
  runParams: readonly Param[],
): Replacements {
  const given = (step.params ?? []).map((param) =>
    replaceParam(param, paramReplacements(task.params ?? [], runParams, 'task')),
  );
  checkNames(specs, given);
  const set = new ReplacementSet().addAll(paramReplacements(specs, [], 'task'));
  for (const { name, value } of resolved(specs, given)) addMerged(set, name, value);
  const texts = [...command, ...args, ...env.flatMap(({ value }) => (value === undefined ? [] : [value]))];
  for (const param of given) addStepResult(set, param, specs, texts);
  checkTypes(set);
  return set;
}

const replaceParam = (param: Param, replacements: Replacements): Param => ({
  ...param,
  value: replaceValue(param.value, replacements),
});

function checkNames(specs: readonly ParamSpec[], given: readonly Param[]): void {
  const extra = given.filter(({ name }) => !specs.some((spec) => spec.name === name)).map(({ name }) => name);
  if (extra.length > 0) throw new Error(`extra params passed by Step to StepAction: [${extra.join(' ')}]`);
  const missing = specs
    .filter((spec) => spec.default === undefined && !given.some(({ name }) => name === spec.name))
    .map(({ name }) => name);
  if (missing.length > 0) throw new Error(`non-existent params in Step: [${missing.join(' ')}]`);
}

const reference = /\$\(params\.([^()]+)\)/g;
const refersToParams = (value: ParamValue) => typeof value === 'string' && value.includes('$(params.');

/** The values in the end: defaults that refer to others come after them. */
function resolved(specs: readonly ParamSpec[], given: readonly Param[]): readonly Param[] {
  const done = new Map<string, ParamValue>();
  let open: { readonly name: string; readonly text: string }[] = [];
  for (const { name, default: fallback } of specs) {
    const value = given.find((param) => param.name === name)?.value ?? fallback;
    const isDefault = !given.some((param) => param.name === name);
    if (isDefault && typeof value === 'string' && refersToParams(value)) open.push({ name, text: value });
    else if (value !== undefined) done.set(name, value);
  }
  while (open.length > 0) {
    const waiting = open.filter(({ name, text }) => {
      if (referencesIn(text).some((each) => !done.has(each))) return true;
      done.set(
        name,
        text.replaceAll(reference, (_, each: string) => {
          const value = done.get(each);
          return typeof value === 'string' ? value : '';
        }),
      );
      return false;
    });
    if (waiting.length === open.length) throw unresolvable(waiting, specs, done);
    open = waiting;
  }
  return [...done].map(([name, value]) => ({ name, value }));
}

const referencesIn = (text: string) => [...text.matchAll(reference)].map(([, name = '']) => name);

function unresolvable(
  waiting: readonly { readonly name: string; readonly text: string }[],
  specs: readonly ParamSpec[],
  done: ReadonlyMap<string, ParamValue>,
): Error {
  for (const { name, text } of waiting) {
    const missing = referencesIn(text).find((each) => !done.has(each)) ?? '';
    if (!specs.some((spec) => spec.name === missing))
      return new Error(`parameter "${name}" references non-existent parameter "${missing}"`);
  }
  return new Error('circular dependency detected in parameter references');
}

/** Keys of an object that are not given keep their defaults. */
function addMerged(set: ReplacementSet, name: string, value: ParamValue): void {
  const base = set.objects.get(`params.${name}`);
  addParamValue(set, name, value);
  const own = set.objects.get(`params.${name}`);
  if (base && own && base !== own) for (const form of paramForms(name)) set.objects.set(form, { ...base, ...own });
}

/** A parameter that is the result of an earlier step is known by the entrypoint only: it is passed on as a reference. */
function addStepResult(
  set: ReplacementSet,
  { name, value }: Param,
  specs: readonly ParamSpec[],
  texts: readonly string[],
): void {
  if (typeof value !== 'string' || !value.startsWith('$(steps.')) return;
  const { step, result } = parseStepResult(value.slice(2).replace(/\)$/, ''));
  const spec = specs.find((each) => each.name === name);
  const whole = `steps.${step}.results.${result}`;
  if (spec?.type === 'object')
    for (const key of Object.keys(spec.properties ?? {}))
      set.strings.set(`params.${name}.${key}`, `$(${whole}.${key})`);
  else if (spec?.type === 'array')
    for (const form of paramForms(name)) {
      set.strings.set(`${form}[*]`, `$(${whole}[*])`);
      for (const index of indicesOf(form, texts)) set.strings.set(`${form}[${index}]`, `$(${whole}[${index}])`);
    }
  else for (const form of paramForms(name)) set.strings.set(form, value);
}

/** Which items of an array are asked for. */
function indicesOf(form: string, texts: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const start = `$(${form}[`;
  for (const text of texts)
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
      const [, index] = /^([0-9]+)\]\)/.exec(text.slice(at + start.length, at + start.length + 24)) ?? [];
      if (index !== undefined) found.add(index);
    }
  return found;
}

/** A default and what is given in its place have to be of one type. */
function checkTypes({ strings, arrays }: Replacements): void {
  const [clash] = [...strings.keys()].filter((name) => arrays.has(name)).sort();
  if (clash === undefined) return;
  // A name with a hyphen is not recognized as one, and so the whole variable is reported.
  const [, dotted, double, single] =
    /^(?:(?:inputs\.)?params\.(\w+)|params\["([^"]+)"\]|params\['([^']+)'\])$/.exec(clash) ?? [];
  throw new Error(
    `invalid parameter substitution: ${dotted ?? double ?? single ?? clash}. Please check the types of the default value and the passed value`,
  );
}
