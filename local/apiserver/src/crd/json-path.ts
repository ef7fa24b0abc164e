/**
 * Reads the simple JSON paths that CRDs use: `.spec.replicas`, `.metadata.annotations['a.b/c']`, `.status.list[0].x`,
 * and, for printer columns, filters like `.status.conditions[?(@.type=="Ready")].status`. `undefined` when there is nothing.
 */
export function readJsonPath(value: unknown, path: string): unknown {
  return readAll(value, path)[0];
}

/** All values that a path reaches. */
export function readAll(value: unknown, path: string): unknown[] {
  let found: unknown[] = [value];
  for (const step of parse(path)) found = found.flatMap(step);
  return found;
}

type Step = (value: unknown) => unknown[];

const parsed = new Map<string, readonly Step[]>();
const maxParsed = 1000;

function parse(path: string): readonly Step[] {
  let steps = parsed.get(path);
  if (!steps) {
    if (parsed.size >= maxParsed) parsed.clear();
    parsed.set(path, (steps = parseSteps(path)));
  }
  return steps;
}

const token =
  /\.([^.[\]]+)|\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*(-?\d+|\*)\s*\]|\[\?\(\s*@\.([^=!<>\s)]+)\s*==\s*["']([^"']*)["']\s*\)\]/y;

function parseSteps(path: string): Step[] {
  const steps: Step[] = [];
  const text = path.startsWith('{') ? path.slice(1, -1) : path;
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (!match) throw new Error(`cannot read the JSON path ${JSON.stringify(path)} at character ${at + 1}`);
    const [, name, quoted, index, field, wanted] = match;
    if (name === '*' || index === '*') steps.push(children);
    else if (name !== undefined) steps.push(member(name.replaceAll('\\', '')));
    else if (quoted !== undefined) steps.push(member(quoted));
    else if (index !== undefined) steps.push(element(Number(index)));
    else steps.push(filter(field as string, wanted as string));
  }
  return steps;
}

function children(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function member(name: string): Step {
  return (value) =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? [(value as Record<string, unknown>)[name]]
      : [];
}

function element(index: number): Step {
  return (value) => (Array.isArray(value) && value.at(index) !== undefined ? [value.at(index)] : []);
}

function filter(field: string, wanted: string): Step {
  const read = field.split('.').map(member);
  return (value) =>
    Array.isArray(value)
      ? value.filter((item) => String(read.reduce<unknown[]>((all, step) => all.flatMap(step), [item])[0]) === wanted)
      : [];
}
