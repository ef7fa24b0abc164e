import type { ParamValue } from '../kinds/param.ts';
import type { Replacements } from './replacements.ts';
import { spend } from './size-limit.ts';

/**
 * The text with each `$(name)` that is known replaced, in one pass from the left: inserted texts are not expanded
 * again. Unknown names stay as they are, so that a shell's `$(command)` survives; there is no way to escape.
 */
export function replaceText(text: string, { strings }: Pick<Replacements, 'strings'>): string {
  let at = text.indexOf('$(');
  if (at < 0 || strings.size === 0) return text;
  let result = '';
  let done = 0;
  while (at >= 0) {
    const end = text.indexOf(')', at);
    if (end < 0) break;
    const value = strings.get(text.slice(at + 2, end));
    // Unknown: what begins inside of it may be known, as in `$(echo $(params.name))`.
    if (value === undefined) at = text.indexOf('$(', at + 1);
    else {
      spend(value.length);
      result += text.slice(done, at) + value;
      done = end + 1;
      at = text.indexOf('$(', done);
    }
  }
  return result + text.slice(done);
}

/**
 * A list of texts with each replaced. An item that is nothing but a reference to an array, `$(name)` or `$(name[*])`,
 * becomes the array's items; of an empty array nothing is left.
 */
export function replaceList(list: readonly string[], replacements: Replacements): readonly string[] {
  return list.flatMap((item) => {
    const array = arrayOf(item, replacements);
    if (!array) return [replaceText(item, replacements)];
    spend(array.reduce((sum, { length }) => sum + length + 1, 0));
    return array;
  });
}

/** The array that a text is a reference to, and nothing else. */
export function arrayOf(text: string, { arrays }: Replacements): readonly string[] | undefined {
  const name = wholeReference(text);
  return name === undefined ? undefined : arrays.get(name);
}

/** The object that a text is a reference to, and nothing else. */
export function objectOf(text: string, { objects }: Replacements): Readonly<Record<string, string>> | undefined {
  const name = wholeReference(text);
  return name === undefined ? undefined : objects.get(name);
}

/** `$(params.list[*])` and `$(params.list)` are `params.list`. */
function wholeReference(text: string): string | undefined {
  if (!text.startsWith('$(') || !text.endsWith(')')) return undefined;
  const name = text.slice(2, -1);
  return name.endsWith('[*]') ? name.slice(0, -3) : name;
}

const allItems = /^\$\([\w.-]+\[\*\]\)$/;

/**
 * A parameter's value with everything replaced. A text that is nothing but a reference to an array or an object becomes
 * one itself; one to all items of what is neither stays.
 */
export function replaceValue(value: ParamValue, replacements: Replacements): ParamValue {
  if (typeof value === 'string') {
    const whole = arrayOf(value, replacements) ?? objectOf(value, replacements);
    return whole ?? (allItems.test(value) ? value : replaceText(value, replacements));
  }
  if (isList(value)) return replaceList(value, replacements);
  return replaceRecord(value, replacements);
}

/** Values of a map; its keys stay. */
export function replaceRecord(
  record: Readonly<Record<string, string>>,
  replacements: Pick<Replacements, 'strings'>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, replaceText(value, replacements)]));
}

function isList(value: ParamValue): value is readonly string[] {
  return Array.isArray(value);
}
