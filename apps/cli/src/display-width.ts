/** `ESC [ 1 ; 31 m`, at the place where it is tried. */
const colour = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]*m`, 'y');
const reset = `${String.fromCharCode(0x1b)}[0m`;
const marks = /^\p{Mark}|^\u200d|^[\ufe00-\ufe0f]/u;

/** How many columns a terminal needs for a line. Colours need none, most East Asian characters and emoji need two. */
export function displayWidth(line: string): number {
  let width = 0;
  for (const part of partsOf(line)) width += part.width;
  return width;
}

/** A line of at most so many columns, with an ellipsis where it was cut. Colours stay, and end with the line. */
export function cutLine(line: string, columns: number): string {
  if (displayWidth(line) <= columns) return line;
  let cut = '';
  let width = 0;
  let coloured = false;
  for (const part of partsOf(line)) {
    if (width + part.width > columns - 1) break;
    cut += part.text;
    width += part.width;
    coloured ||= part.isColour;
  }
  return `${cut}…${coloured ? reset : ''}`;
}

interface Part {
  readonly text: string;
  readonly width: number;
  readonly isColour: boolean;
}

/** Characters and colours, one by one. */
function* partsOf(line: string): Generator<Part> {
  for (let at = 0; at < line.length; ) {
    colour.lastIndex = at;
    const found = colour.exec(line)?.[0];
    const text = found ?? String.fromCodePoint(line.codePointAt(at) ?? 0);
    yield { text, width: found === undefined ? widthOf(text) : 0, isColour: found !== undefined };
    at += text.length;
  }
}

/** Ranges of characters that are two columns wide, by first and last code point. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

function widthOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (marks.test(character)) return 0;
  return wide.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
