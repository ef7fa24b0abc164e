import { type FieldErrors, genericError } from '@tektite/controller/field-errors';
import { quoteGo } from '@tektite/meta';
import { expressionsIn, variablesIn, wholeNamesIn } from '../../substitution/variable-references.ts';

/** Checks one text of a step; `undefined` when nothing is wrong. The path is that of the text itself. */
export type TextCheck = (text: string) => FieldErrors | undefined;

const indexes = /\[([0-9])*\*?\]/g;
const withoutStar = (name: string) => (name.endsWith('[*]') ? name.slice(0, -3) : name);

export interface KnownVariables {
  /** `params`, `context.taskRun`, `params.object` */
  readonly prefix: string;
  readonly names: ReadonlySet<string>;
}

/** Every variable with the prefix has to be known. Older versions of the API name the one that is not. */
export function knownVariables({ prefix, names }: KnownVariables, isDetailed = false): TextCheck {
  return (text) => {
    const { names: found, violation } = variablesIn(text, prefix);
    if (violation !== undefined) return genericError(violation, '');
    for (const name of found.map((each) => each.replace(indexes, ''))) {
      if (names.has(name)) continue;
      const which = isDetailed ? ` \`${name}\`` : '';
      return genericError(`non-existent variable${which} in ${quoteGo(text)}`, '');
    }
    return undefined;
  };
}

/** None of these may be referred to: lists have no place in a text. */
export function prohibitedVariables({ prefix, names }: KnownVariables): TextCheck {
  return (text) => {
    const { names: found, violation } = variablesIn(text, prefix);
    if (violation !== undefined) return genericError(violation, '');
    return found.some((name) => names.has(withoutStar(name))) ? invalidType(text) : undefined;
  };
}

/** None of these may be referred to as a whole: of objects only their keys have a place in a text. */
export function prohibitedWholes({ prefix, names }: KnownVariables): TextCheck {
  return (text) =>
    wholeNamesIn(text, prefix).some((name) => names.has(withoutStar(name))) ? invalidType(text) : undefined;
}

/** These must be all of the text that refers to them. */
export function isolatedVariables({ prefix, names }: KnownVariables): TextCheck {
  return (text) => {
    const { names: found, violation } = variablesIn(text, prefix);
    if (violation !== undefined) return genericError(violation, '');
    if (!found.some((name) => names.has(withoutStar(name)))) return undefined;
    if (expressionsIn(text, prefix)[0]?.length === text.length) return undefined;
    return genericError(`variable is not properly isolated in ${quoteGo(text)}`, '');
  };
}

const invalidType = (text: string) => genericError(`variable type invalid in ${quoteGo(text)}`, '');
