/** One `$(prefix...)` in a text. */
interface Reference {
  /** All of it, from `$(` to `)`. */
  readonly expression: string;
  /** What comes after the prefix: `name`, `name[*]`, `object.key`. */
  readonly name: string;
  readonly isDotted: boolean;
}

const bracketEnds: Readonly<Record<string, string>> = { '["': '"])', "['": "'])" };

/** The references to variables with a prefix: `$(params.x)`, `$(params["x"])`, `$(params['x'])`. None spans two lines. */
function references(text: string, prefix: string): readonly Reference[] {
  const found: Reference[] = [];
  const start = `$(${prefix}`;
  for (let at = text.indexOf(start); at >= 0; ) {
    const reference = referenceAt(text, at, start.length);
    if (reference) found.push(reference);
    at = text.indexOf(start, at + (reference ? reference.expression.length : 1));
  }
  return found;
}

function referenceAt(text: string, at: number, length: number): Reference | undefined {
  const from = at + length;
  const isDotted = text[from] === '.';
  const opening = isDotted ? '.' : text.slice(from, from + 2);
  const closing = isDotted ? ')' : bracketEnds[opening];
  if (closing === undefined) return undefined;
  const begin = from + opening.length;
  const end = text.indexOf(closing, begin);
  if (end < 0) return undefined;
  const name = text.slice(begin, end);
  return name.includes('\n') ? undefined : { expression: text.slice(at, end + closing.length), name, isDotted };
}

/** Whole expressions with that prefix. */
export function expressionsIn(text: string, prefix: string): readonly string[] {
  return references(text, prefix).map(({ expression }) => expression);
}

/** What stands after the prefix, keys of objects included. */
export function wholeNamesIn(text: string, prefix: string): readonly string[] {
  return references(text, prefix).map(({ name }) => name);
}

export interface VariableNames {
  readonly names: readonly string[];
  /** The text cannot be understood; why. */
  readonly complaint?: string;
}

/** The names of variables, keys of objects not included. A name may have one dot, no more, unless it is in brackets. */
export function variablesIn(text: string, prefix: string): VariableNames {
  const names: string[] = [];
  for (const { name, isDotted } of references(text, prefix)) {
    const parts = isDotted ? name.split('.') : [name];
    if (parts.length > 2) return { names, complaint: tooManyDots(text, prefix) };
    names.push(parts[0] ?? '');
  }
  return { names };
}

/** Most of upstream's prefixes are patterns, and it prints them as such: `context\.taskRun`. */
function tooManyDots(text: string, prefix: string): string {
  const printed = prefix.startsWith('step.') ? prefix : prefix.replaceAll('.', '\\.');
  return `Invalid referencing of parameters in "${text}"! Only two dot-separated components after the prefix "${printed}" are allowed.`;
}
