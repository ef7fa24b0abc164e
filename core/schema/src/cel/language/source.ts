/** One error of an expression. */
export interface Issue {
  /** Offset in code points; -1 for an error without a position. */
  readonly at: number;
  readonly message: string;
}

/** The text of an expression, which knows its lines. */
export class Source {
  readonly characters: readonly string[];
  private readonly lines: readonly string[];

  constructor(text: string) {
    this.characters = Array.from(text);
    this.lines = text.split('\n');
  }

  private locate(offset: number): { line: number; column: number } {
    let rest = offset;
    for (const [index, line] of this.lines.entries()) {
      const length = Array.from(line).length;
      if (rest <= length || index === this.lines.length - 1) return { line: index + 1, column: rest };
      rest -= length + 1;
    }
    return { line: 1, column: offset };
  }

  /** All issues as cel-go prints them, in the order of their places, each with a mark under the line. */
  format(issues: readonly Issue[]): string {
    const sorted = [...issues].sort((a, b) => a.at - b.at);
    const shown = sorted.slice(0, maxIssues).map((issue) => this.formatIssue(issue));
    if (sorted.length > maxIssues) shown.push(`${sorted.length - maxIssues} more errors were truncated`);
    return shown.join('\n');
  }

  private formatIssue({ at, message }: Issue): string {
    if (at < 0) return `ERROR: <input>:-1:0: ${message}`;
    const { line, column } = this.locate(at);
    const text = (this.lines[line - 1] ?? '').replaceAll('\t', ' ');
    const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
    if (text.length > maxSnippetLength) return head;
    const characters = Array.from(text);
    const dots = characters.slice(0, column).map((char) => (isWide(char) ? '\uff0e' : '.'));
    const mark = isWide(characters[column] ?? '') ? '\uff3e' : '^';
    return `${head}\n | ${text}\n | ${dots.join('')}${mark}`;
  }
}

const maxIssues = 100;
const maxSnippetLength = 16_384;

const isWide = (char: string): boolean => (char.codePointAt(0) ?? 0) >= 0x80;
