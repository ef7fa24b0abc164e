import { visibleText } from '../run/index.ts';

/** A part of a line with one style. */
export interface LogSpan {
  readonly text: string;
  /** Names of classes: `bold`, `dim`, `italic`, `underline`, `fg1`, `bg4`; of 8 colours and their 8 bright ones. */
  readonly style: string;
}

interface Style {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  fg: number | undefined;
  bg: number | undefined;
}

// oxlint-disable-next-line no-control-regex
const escapes = /\u001b(?:\[([0-9;:]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_]|[()][A-Z0-9])/g;
/** The text of a line as it is read: without escapes. What overwrote itself with carriage returns is as it was at the end. */
export function plainText(line: string): string {
  if (!/[\u0000-\u001f\u007f-\u009f\u200e-\u206f]/.test(line)) return line;
  return visibleText(lastOverwrite(line).replace(escapes, ''));
}

/** The parts of a line. Colours are classes, so that themes choose them; nothing of a log becomes a style or markup. */
export function parseAnsi(line: string): readonly LogSpan[] {
  const text = lastOverwrite(line);
  if (!text.includes('\u001b')) return [{ text: visibleText(text), style: '' }];
  const spans: LogSpan[] = [];
  const style: Style = { bold: false, dim: false, italic: false, underline: false, fg: undefined, bg: undefined };
  let at = 0;
  const add = (end: number) => {
    const part = visibleText(text.slice(at, end));
    if (part !== '') spans.push({ text: part, style: classesOf(style) });
  };
  for (const match of text.matchAll(escapes)) {
    add(match.index);
    at = match.index + match[0].length;
    if (match[2] === 'm') applyCodes(style, (match[1] ?? '').split(/[;:]/).map(Number));
  }
  add(text.length);
  return spans;
}

function lastOverwrite(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  const at = text.lastIndexOf('\r');
  return at < 0 ? text : text.slice(at + 1);
}

function applyCodes(style: Style, codes: readonly number[]): void {
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    if (code === 0)
      Object.assign(style, { bold: false, dim: false, italic: false, underline: false, fg: undefined, bg: undefined });
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.underline = true;
    else if (code === 22) Object.assign(style, { bold: false, dim: false });
    else if (code === 23) style.italic = false;
    else if (code === 24) style.underline = false;
    else if (code >= 30 && code <= 37) style.fg = code - 30;
    else if (code === 39) style.fg = undefined;
    else if (code >= 40 && code <= 47) style.bg = code - 40;
    else if (code === 49) style.bg = undefined;
    else if (code >= 90 && code <= 97) style.fg = code - 90 + 8;
    else if (code >= 100 && code <= 107) style.bg = code - 100 + 8;
    else if (code === 38 || code === 48) {
      const colour =
        codes[index + 1] === 5 ? nearest256(codes[index + 2] ?? 0) : nearestRgb(codes.slice(index + 2, index + 5));
      if (code === 38) style.fg = colour;
      else style.bg = colour;
      index += codes[index + 1] === 5 ? 2 : 4;
    }
  }
}

/** Of 256 colours, the nearest of 16. */
function nearest256(code: number): number {
  if (code < 16) return code;
  if (code >= 232) return code >= 244 ? 7 : 8;
  const cube = code - 16;
  return nearestRgb([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((value) => value * 51));
}

function nearestRgb([red = 0, green = 0, blue = 0]: readonly number[]): number {
  const most = Math.max(red, green, blue);
  if (most < 48) return 8;
  const on = (value: number, bit: number) => (value > most * 0.6 ? bit : 0);
  return on(red, 1) + on(green, 2) + on(blue, 4) + (most > 200 ? 8 : 0);
}

function classesOf({ bold, dim, italic, underline, fg, bg }: Style): string {
  return [
    bold && 'bold',
    dim && 'dim',
    italic && 'italic',
    underline && 'underline',
    fg !== undefined && `fg${fg}`,
    bg !== undefined && `bg${bg}`,
  ]
    .filter(Boolean)
    .join(' ');
}
