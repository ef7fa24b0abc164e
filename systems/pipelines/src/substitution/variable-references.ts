/** One `$(prefix...)` in a text. */
interface Reference {
  /** All of it, from `$(` to `)`. */
  readonly expression: string;
  /** The part after the prefix: `name`, `name[*]`, `object.key`. */
  readonly name: string;
  readonly isDotted: boolean;
}

/** How a reference goes on after its prefix, and what ends it. */
const forms = [
  { opening: '.', closing: ')' },
  { opening: '["', closing: '"])' },
  { opening: "['", closing: "'])" },
];

/** The references to variables with a prefix: `$(params.x)`, `$(params["x"])`, `$(params['x'])`. None spans two lines. */
function references(text: string, prefix: string): readonly Reference[] {
  const start = `$(${prefix}`;
  if (!text.includes(start)) return [];
  return text.split('\n').flatMap((line) => referencesInLine(line, start));
}

function referencesInLine(line: string, start: string): readonly Reference[] {
  const found: Reference[] = [];
  // A pattern without an end now has none later either: repeated searches would take quadratic time in a long line.
  const endless = new Set<string>();
  for (let at = line.indexOf(start); at >= 0; ) {
    const from = at + start.length;
    const form = forms.find(({ opening }) => line.startsWith(opening, from));
    const begin = from + (form?.opening.length ?? 0);
    const end = form && !endless.has(form.closing) ? line.indexOf(form.closing, begin) : -1;
    if (form && end < 0) endless.add(form.closing);
    const next = form && end >= 0 ? end + form.closing.length : at + 1;
    if (form && end >= 0)
      found.push({ expression: line.slice(at, next), name: line.slice(begin, end), isDotted: form.opening === '.' });
    at = line.indexOf(start, next);
  }
  return found;
}

/** Whole expressions with that prefix. */
export function expressionsIn(text: string, prefix: string): readonly string[] {
  return references(text, prefix).map(({ expression }) => expression);
}

/** The part after the prefix, with keys of objects. */
export function wholeNamesIn(text: string, prefix: string): readonly string[] {
  return references(text, prefix).map(({ name }) => name);
}

export interface VariableNames {
  readonly names: readonly string[];
  /** The text cannot be understood; why. */
  readonly violation?: string;
}

/** The names of variables, keys of objects not included. A name may have one dot, no more, unless it is in brackets. */
export function variablesIn(text: string, prefix: string): VariableNames {
  const names: string[] = [];
  for (const { name, isDotted } of references(text, prefix)) {
    const parts = isDotted ? name.split('.') : [name];
    if (parts.length > 2) return { names, violation: tooManyDots(text, prefix) };
    names.push(parts[0] ?? '');
  }
  return { names };
}

/** Most of upstream's prefixes are patterns, and it prints them as such: `context\.taskRun`. */
function tooManyDots(text: string, prefix: string): string {
  const printed = prefix.startsWith('step.') ? prefix : prefix.replaceAll('.', '\\.');
  return `Invalid referencing of parameters in "${text}"! Only two dot-separated components after the prefix "${printed}" are allowed.`;
}
