import { formatFloat } from './format-float.ts';
import { type ScalarStyle, scalarStyle } from './scalar-style.ts';
import { compareYamlKeys } from './yaml-key-order.ts';

const width = 80;
/** A key of more bytes is written with a question mark in front. */
const maxSimpleKeyLength = 128;

/**
 * Prints JSON as YAML, as `kubectl -o yaml` does: keys in order, lists not indented, long lines folded. Keys that are
 * `undefined` are left out.
 *
 * @example
 * formatYaml({ kind: 'Pod', args: ['yes'] }) // args:\n- "yes"\nkind: Pod\n
 */
export function formatYaml(value: unknown): string {
  const writer = new YamlWriter();
  writer.node(value, -2, 'root');
  return writer.finish();
}

/** Where a node stands: after a key, after a dash, or alone. */
type Context = 'root' | 'value' | 'explicit value' | 'item';

class YamlWriter {
  private text = '';
  private column = 0;

  finish(): string {
    if (this.column > 0) this.newLine();
    return this.text;
  }

  /** `indent` is that of the collection around the node. */
  node(value: unknown, indent: number, context: Context): void {
    if (Array.isArray(value) && value.length > 0) this.list(value as unknown[], indent, context);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) this.map(value, indent, context);
    else {
      if (context !== 'root') this.write(' ');
      this.scalar(value, context === 'root' ? 2 : indent + 2);
    }
  }

  private map(value: object, indent: number, context: Context): void {
    const keys = Object.keys(value).filter((key) => (value as Record<string, unknown>)[key] !== undefined);
    if (keys.length === 0) {
      this.write(context === 'root' ? '{}' : ' {}');
      return;
    }
    const inner = indent + 2;
    keys.sort(compareYamlKeys);
    keys.forEach((key, index) => {
      this.startLine(inner, index === 0 ? context : 'value');
      const isSimple = !/[\n\r\u0085\u2028\u2029]/.test(key) && Buffer.byteLength(key) <= maxSimpleKeyLength;
      if (isSimple) this.string(key, inner + 2, true);
      else {
        this.write('? ');
        this.string(key, inner + 2, false);
        this.breakTo(inner);
      }
      this.write(':');
      this.node((value as Record<string, unknown>)[key], inner, isSimple ? 'value' : 'explicit value');
    });
  }

  private list(items: readonly unknown[], indent: number, context: Context): void {
    const inner = context === 'value' ? indent : indent + 2;
    items.forEach((item, index) => {
      this.startLine(inner, index === 0 ? context : 'value');
      this.write('-');
      this.node(item === undefined ? null : item, inner, 'item');
    });
  }

  /** The first entry of a collection inside a list stays on the line of the dash. */
  private startLine(indent: number, context: Context): void {
    if (context === 'item' || context === 'explicit value') this.write(' '.repeat(Math.max(indent - this.column, 0)));
    else this.breakTo(indent);
  }

  private scalar(value: unknown, indent: number): void {
    if (typeof value === 'string') this.string(value, indent, false);
    else if (typeof value === 'number') this.write(formatFloat(value));
    else if (typeof value === 'bigint') this.write(String(value));
    else if (Array.isArray(value)) this.write('[]');
    else this.write(typeof value === 'boolean' ? String(value) : 'null');
  }

  private string(text: string, indent: number, isKey: boolean): void {
    const style: ScalarStyle = scalarStyle(text, isKey);
    if (style === 'literal') this.literal(text, indent);
    else if (style === 'double') this.doubleQuoted(text, indent, !isKey);
    else this.folded(text, indent, !isKey, style === 'single');
  }

  /** Plain, or in single quotes; a space beyond the width becomes a line break. */
  private folded(text: string, indent: number, mayFold: boolean, quoted: boolean): void {
    if (quoted) this.write("'");
    const chars = Array.from(text);
    let afterSpace = false;
    chars.forEach((char, index) => {
      const isInner = !quoted || (index > 0 && index < chars.length - 1);
      if (char === ' ' && mayFold && !afterSpace && this.column > width && isInner && chars[index + 1] !== ' ') {
        this.breakTo(indent);
      } else this.write(quoted && char === "'" ? "''" : char);
      afterSpace = char === ' ';
    });
    if (quoted) this.write("'");
  }

  private doubleQuoted(text: string, indent: number, mayFold: boolean): void {
    this.write('"');
    const chars = Array.from(text);
    let afterSpace = false;
    chars.forEach((char, index) => {
      const isInner = index > 0 && index < chars.length - 1;
      if (char === ' ' && mayFold && !afterSpace && this.column > width && isInner) {
        this.breakTo(indent);
        if (chars[index + 1] === ' ') this.write('\\');
      } else this.write(escapeChar(char));
      afterSpace = char === ' ';
    });
    this.write('"');
  }

  private literal(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? '2' : '';
    const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
    this.write(`|${hint}${chomp}`);
    const lines = text.split('\n');
    if (text.endsWith('\n')) lines.pop();
    for (const line of lines) {
      this.newLine();
      if (line !== '') this.write(' '.repeat(indent) + line);
    }
    this.newLine();
  }

  private write(text: string): void {
    this.text += text;
    this.column += text.length;
  }

  private newLine(): void {
    this.text += '\n';
    this.column = 0;
  }

  private breakTo(indent: number): void {
    if (this.column > 0) this.newLine();
    this.write(' '.repeat(Math.max(indent, 0)));
  }
}

const escapes = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

function escapeChar(char: string): string {
  const known = escapes.get(char);
  if (known) return known;
  if (/[\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u.test(char)) return char;
  const code = char.codePointAt(0) as number;
  const digits = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}
