import { stringifyJson } from '@tektite/meta';
import type { Param, ParamSpec } from '@tektite/pipelines';
import { badInput } from '../input/bad-input.ts';
import { suggestion } from './nearest-name.ts';
import type { RunTarget } from './run-target.ts';

/** The params and workspaces that a run gives to its target. */
export interface RunInput {
  readonly params: readonly Param[];
  readonly workspaces: readonly { readonly name: string }[];
}

/** Names that were given on the command line. */
export interface GivenNames {
  readonly params: readonly string[];
  readonly workspaces: readonly string[];
}

/**
 * Refuses what would be ignored or fail later: names that the target does not have, values of the wrong type, params and
 * workspaces that are missing. Each message names the place and the option that helps.
 */
export function checkRun(target: RunTarget, before: RunInput, after: RunInput, given: GivenNames): void {
  const { title, spec } = target;
  // A spec inside of a run may use params and workspaces of the run that it does not declare.
  const text = stringifyJson(spec);
  const known = (declared: readonly { readonly name: string }[] = [], own: readonly { readonly name: string }[]) => [
    ...new Set([...declared, ...own].map(({ name }) => name)),
  ];
  const params = known(spec.params, before.params);
  for (const name of given.params)
    if (!params.includes(name) && !uses(text, 'params', name))
      throw badInput(`-p ${name}: ${title} has no param ${JSON.stringify(name)}${suggestion(name, params)}`);
  const workspaces = known(spec.workspaces, before.workspaces);
  for (const name of given.workspaces)
    if (!workspaces.includes(name) && !uses(text, 'workspaces', name) && !text.includes(`"workspace":"${name}"`))
      throw badInput(`-w ${name}: ${title} has no workspace ${JSON.stringify(name)}${suggestion(name, workspaces)}`);
  checkParams(target, after.params);
  (spec.workspaces ?? []).forEach(({ name, optional }, index) => {
    if (optional || after.workspaces.some((each) => each.name === name)) return;
    throw badInput(
      `${target.at(['workspaces', index])}: ${title} needs the workspace ${JSON.stringify(name)}; give it a folder with -w ${name}=. or an empty one with -w ${name}=emptyDir`,
    );
  });
}

/** Whether a variable of this name is in a spec: `$(params.who)`, `$(params["who"])`, `$(params.who[*])`. */
function uses(text: string, variable: string, name: string): boolean {
  return (
    [')', '.', '['].some((end) => text.includes(`${variable}.${name}${end}`)) ||
    text.includes(`${variable}[\\"${name}\\"]`)
  );
}

function checkParams(target: RunTarget, given: readonly Param[]): void {
  (target.spec.params ?? []).forEach((spec, index) => {
    const { name } = spec;
    const type = typeOf(spec);
    const value = given.find((each) => each.name === name)?.value;
    const place = target.at(['params', index]);
    if (value === undefined && spec.default === undefined)
      throw badInput(
        `${place}: ${target.title} needs the param ${JSON.stringify(name)}; give it with -p ${name}=${forms[type].form}`,
      );
    if (value !== undefined && !forms[type].is(value))
      throw badInput(
        `${place}: the param ${JSON.stringify(name)} of ${target.title} is ${forms[type].what}; give it as -p ${name}=${forms[type].form}`,
      );
  });
}

/** The declared type, or that of the default. */
export function typeOf(spec: ParamSpec): 'string' | 'array' | 'object' {
  if (spec.type) return spec.type;
  if (spec.properties) return 'object';
  if (Array.isArray(spec.default)) return 'array';
  return typeof spec.default === 'object' && spec.default !== null ? 'object' : 'string';
}

const forms = {
  // The server takes numbers and booleans as text.
  string: { what: 'a text', form: 'VALUE', is: (value: unknown) => typeof value !== 'object' },
  array: { what: 'an array', form: `'["first", "second"]'`, is: Array.isArray },
  object: {
    what: 'an object',
    form: `'{"key": "value"}'`,
    is: (value: unknown) => typeof value === 'object' && !Array.isArray(value),
  },
} as const;
