import { formatYaml, parseYaml } from '@tektite/schema/yaml';

/** One branch of a template: what it repeats, and where its text goes. */
interface Block {
  readonly items: readonly unknown[];
  readonly lines: string[];
}

/**
 * Renders a template as `helm template` does, of whose language it knows just what our charts use: if, eq, with, range, quote, toYaml, nindent,
 * texts, and the namespace. Anything else throws.
 */
export function renderTemplate(text: string, values: object, namespace: string): string {
  const stack: Block[] = [{ items: [undefined], lines: [] }];
  const top = () => stack.at(-1) as Block;
  const pathOf = (expression: string, dot: unknown): unknown => {
    if (expression === '.') return dot;
    if (expression === '.Release.Namespace') return namespace;
    const [, path] = /^\.Values\.([\w.]+)$/.exec(expression) ?? [];
    if (path === undefined) throw new Error(`the chart has the expression ${expression}`);
    return path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], values);
  };
  const isTrue = (value: unknown) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
  const itemsOf = (action: string): readonly unknown[] | undefined => {
    const [, word, rest = ''] = /^(if|with|range) (.+)$/.exec(action) ?? [];
    if (word === 'range') return pathOf(rest, undefined) as readonly unknown[];
    const [, left, right] = /^eq (\S+) "(.*)"$/.exec(rest) ?? [];
    if (word === 'if')
      return (left ? pathOf(left, undefined) === right : isTrue(pathOf(rest, undefined))) ? [undefined] : [];
    if (word === 'with') return isTrue(pathOf(rest, undefined)) ? [pathOf(rest, undefined)] : [];
    return undefined;
  };
  const evaluate = (action: string, dot: unknown): string => {
    const [, literal] = /^"([{}]+)"$/.exec(action) ?? [];
    if (literal) return literal;
    const [, yaml, depth] = /^toYaml (\S+) \| nindent (\d+)$/.exec(action) ?? [];
    if (yaml) return `\n${formatYaml(pathOf(yaml, dot)).trimEnd()}`.replaceAll('\n', `\n${' '.repeat(Number(depth))}`);
    const [, quoted] = /^(\S+) \| quote$/.exec(action) ?? [];
    return quoted ? JSON.stringify(String(pathOf(quoted, dot))) : String(pathOf(action, dot));
  };
  const fill = (line: string, dot: unknown) =>
    line.replaceAll(/(\s*)\{\{(-?) (.+?) \}\}/g, (_, space: string, trim: string, action: string) => {
      const value = evaluate(action, dot);
      return trim ? value : space + value;
    });
  for (const line of text.split('\n')) {
    const [, action = ''] = /^\s*\{\{- (.+) \}\}$/.exec(line) ?? [];
    const items = itemsOf(action);
    if (items) stack.push({ items, lines: [] });
    else if (action === 'end') {
      const { items: all, lines } = stack.pop() as Block;
      for (const dot of all) for (const each of lines) top().lines.push(dot === undefined ? each : fill(each, dot));
    } else top().lines.push(line.includes('{{ . ') || line.includes('toYaml . ') ? line : fill(line, undefined));
  }
  return top().lines.join('\n');
}

/** The objects of a chart with these values. */
export function renderChart(files: ReadonlyMap<string, string>, values: object, namespace: string): readonly unknown[] {
  return [...files]
    .filter(([path]) => path.startsWith('templates/'))
    .flatMap(([, text]) => parseYaml(renderTemplate(text, values, namespace)))
    .map(({ value }) => value)
    .filter((value) => value !== null);
}
