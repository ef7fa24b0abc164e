/** Whether anything is in a text that a terminal acts on instead of showing it. Line ends and tabs are not meant. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (isControl(text.charCodeAt(at))) return false;
  return true;
}

function isControl(code: number): boolean {
  return (code < 0x20 && code !== 0x09 && code !== 0x0a) || (code >= 0x7f && code < 0xa0);
}

/** `ESC [ 1 ; 31 m` */
const colour = new RegExp(`^${String.fromCharCode(0x1b)}\\[[0-9;]{0,32}m`);
const reset = `${String.fromCharCode(0x1b)}[0m`;

/**
 * Text from elsewhere, such as logs, names and messages, for a terminal: colours stay, and end with the text; all else that would
 * move the cursor, change the title or type in the user's place is shown as what it is, `\x1b` for example.
 */
export function terminalText(text: string): string {
  if (isPlain(text)) return text;
  let shown = '';
  let coloured = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const found = code === 0x1b ? colour.exec(text.slice(at, at + 40))?.[0] : undefined;
    if (found !== undefined) {
      shown += found;
      at += found.length - 1;
      coloured = true;
    } else if (code === 0x0d && (at + 1 === text.length || text[at + 1] === '\n')) {
      // Some programs end lines so.
    } else shown += isControl(code) ? `\\x${code.toString(16).padStart(2, '0')}` : text[at];
  }
  return coloured && !shown.endsWith(reset) ? `${shown}${reset}` : shown;
}
