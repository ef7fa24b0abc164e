import { type LogSpan, parseAnsi, plainText } from './ansi.ts';
import { LogText } from './log-text.ts';

/** A row as it is shown: the head of a section, or a line, or with wrapping a part of a line. */
export type LogRow =
  | { readonly kind: 'head'; readonly section: string; readonly lines: number; readonly isFolded: boolean }
  | {
      readonly kind: 'line';
      readonly section: string;
      /** From 1. */
      readonly line: number;
      /** Empty for the further rows of a wrapped line. */
      readonly time: string;
      readonly isContinued: boolean;
      readonly spans: readonly LogSpan[];
    };

export interface LogMatch {
  readonly row: number;
  readonly section: string;
  readonly line: number;
}

interface Section {
  readonly id: string;
  readonly text: LogText;
  isFolded: boolean;
  /** With wrapping: the row behind each line, as a running sum; as far as it was made. */
  ends: Uint32Array;
  known: number;
}

/** The lines that match, and how many there are. */
export interface LogMatches {
  readonly matches: readonly LogMatch[];
  readonly total: number;
}

interface SoughtLines {
  /** Numbers of lines from 0, up to a limit. */
  readonly lines: number[];
  count: number;
  /** How many lines were searched. */
  known: number;
}

interface Sought {
  readonly pattern: RegExp;
  readonly bySection: Map<Section, SoughtLines>;
}

const maxMatches = 10_000;

/**
 * The logs of several steps as one list of rows, each section with a head that folds it. Lives in a worker: a million lines are
 * searched and wrapped without the page standing still.
 */
export class LogDocument {
  private readonly sections: Section[] = [];
  /** Characters in a row; 0 does not wrap. */
  private columns = 0;
  private sought: Sought | undefined;

  /** Opens a section, at the end. One that is open already stays. */
  open(id: string): void {
    if (this.find(id)) return;
    this.sections.push({ id, text: new LogText(), isFolded: false, ends: new Uint32Array(1024), known: 0 });
  }

  /** Puts sections into this order; others stay behind them. */
  order(ids: readonly string[]): void {
    const rank = ({ id }: Section) => {
      const index = ids.indexOf(id);
      return index < 0 ? ids.length : index;
    };
    this.sections.sort((a, b) => rank(a) - rank(b));
  }

  append(id: string, bytes: Uint8Array): void {
    this.find(id)?.text.append(bytes);
  }

  end(id: string): void {
    this.find(id)?.text.end();
  }

  /** Empties a section that is read again. */
  clear(id: string): void {
    const section = this.find(id);
    if (!section) return;
    section.text.clear();
    section.known = 0;
    this.sought?.bySection.delete(section);
  }

  fold(id: string, isFolded: boolean): void {
    const section = this.find(id);
    if (section) section.isFolded = isFolded;
  }

  wrap(columns: number): void {
    if (columns === this.columns) return;
    this.columns = columns;
    for (const section of this.sections) section.known = 0;
  }

  get rowCount(): number {
    return this.sections.reduce((sum, section) => sum + this.rowsOf(section), 0);
  }

  get lineCount(): number {
    return this.sections.reduce((sum, { text }) => sum + text.lineCount, 0);
  }

  /** The rows from `first` up to, and without, `last`. */
  rows(first: number, last: number): readonly LogRow[] {
    const rows: LogRow[] = [];
    let start = 0;
    for (const section of this.sections) {
      const count = this.rowsOf(section);
      const from = Math.max(first, start);
      const to = Math.min(last, start + count);
      for (let row = from; row < to; row++) rows.push(this.rowOf(section, row - start));
      start += count;
    }
    return rows;
  }

  /** The lines that match, up to 10,000. Folded sections are searched, too; their matches have the row of the head. */
  search(pattern: RegExp | undefined): LogMatches {
    this.sought = pattern && { pattern, bySection: new Map() };
    return this.found();
  }

  /** The matches of the last search; lines that came since then are searched, and no others. */
  found(): LogMatches {
    const { sought } = this;
    if (!sought) return { matches: [], total: 0 };
    const matches: LogMatch[] = [];
    let total = 0;
    let start = 0;
    for (const section of this.sections) {
      const { lines, count } = this.seek(section, sought);
      total += count;
      for (const index of lines.slice(0, maxMatches - matches.length))
        matches.push({ row: start + this.firstRow(section, index), section: section.id, line: index + 1 });
      start += this.rowsOf(section);
    }
    return { matches, total };
  }

  private seek(section: Section, { pattern, bySection }: Sought): SoughtLines {
    const so = bySection.get(section) ?? { lines: [], count: 0, known: 0 };
    bySection.set(section, so);
    for (; so.known < section.text.lineCount; so.known++) {
      if (!pattern.test(plainText(section.text.line(so.known).text))) continue;
      so.count++;
      if (so.lines.length < maxMatches) so.lines.push(so.known);
    }
    return so;
  }

  /** The row of a line, for links to it. */
  rowOfLine(id: string, line: number): number | undefined {
    let start = 0;
    for (const section of this.sections) {
      if (section.id === id)
        return line <= section.text.lineCount ? start + this.firstRow(section, line - 1) : undefined;
      start += this.rowsOf(section);
    }
    return undefined;
  }

  /** Everything as text, for a download. */
  *texts(withTimes: boolean): Generator<string> {
    for (const { id, text } of this.sections) {
      yield `== ${id}\n`;
      for (let index = 0; index < text.lineCount; index++) {
        const line = text.line(index);
        yield `${withTimes && line.time ? `${line.time} ` : ''}${line.text}\n`;
      }
    }
  }

  private find(id: string): Section | undefined {
    return this.sections.find((section) => section.id === id);
  }

  private rowsOf(section: Section): number {
    if (section.isFolded) return 1;
    if (this.columns === 0) return 1 + section.text.lineCount;
    this.measure(section);
    return 1 + (section.ends[section.text.lineCount - 1] ?? 0);
  }

  private firstRow(section: Section, line: number): number {
    if (section.isFolded) return 0;
    if (this.columns === 0) return 1 + line;
    this.measure(section);
    return 1 + (line === 0 ? 0 : (section.ends[line - 1] ?? 0));
  }

  /** Adds up the rows of the lines that came since the last time. */
  private measure(section: Section): void {
    const { text } = section;
    if (section.ends.length < text.lineCount) {
      const larger = new Uint32Array(Math.max(text.lineCount, section.ends.length * 2));
      larger.set(section.ends);
      section.ends = larger;
    }
    for (let line = section.known; line < text.lineCount; line++) {
      const length = plainText(text.line(line).text).length;
      const rows = Math.max(1, Math.ceil(length / this.columns));
      section.ends[line] = (line === 0 ? 0 : (section.ends[line - 1] ?? 0)) + rows;
    }
    section.known = text.lineCount;
  }

  private rowOf(section: Section, row: number): LogRow {
    const { id, text, isFolded } = section;
    if (row === 0) return { kind: 'head', section: id, lines: text.lineCount, isFolded };
    const index = this.columns === 0 ? row - 1 : this.lineAt(section, row - 1);
    const part = row - this.firstRow(section, index);
    const { time, text: line } = text.line(index);
    const spans = parseAnsi(line);
    return {
      kind: 'line',
      section: id,
      line: index + 1,
      time: part === 0 ? time : '',
      isContinued: part > 0,
      spans: this.columns === 0 ? spans : sliceSpans(spans, part * this.columns, this.columns),
    };
  }

  /** The line of a row, by halving. */
  private lineAt({ ends, text }: Section, row: number): number {
    let low = 0;
    let high = text.lineCount - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) > row) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function sliceSpans(spans: readonly LogSpan[], from: number, length: number): readonly LogSpan[] {
  const found: LogSpan[] = [];
  let at = 0;
  for (const { text, style } of spans) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, from + length - at));
    if (part !== '') found.push({ text: part, style });
    at += text.length;
  }
  return found;
}
