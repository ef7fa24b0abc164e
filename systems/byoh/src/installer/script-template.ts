/** An error in a template, with its position. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** `{{.Name}}` with blanks and trim marks, or `{{"{{"}}` for two braces. */
const action = /\{\{(-)?\s*(?:\.([A-Za-z_][A-Za-z0-9_]*)|"(\{\{)")\s*(-)?\}\}/y;

/**
 * Fills in the variables of a script: `{{.Name}}`, blanks inside allowed, `{{-` and `-}}` take the blanks outside away, and
 * `{{"{{"}}` stands for two braces. Nothing is escaped. Anything else between braces is an error that names the line: in a
 * script, an empty text in the place of a variable does harm.
 *
 * @example
 * renderTemplate('tar -C {{.BundleDownloadPath}}', { BundleDownloadPath: '/var/lib/byoh' }) // 'tar -C /var/lib/byoh'
 */
export function renderTemplate(text: string, values: Readonly<Record<string, string>>): string {
  let out = '';
  let at = 0;
  for (;;) {
    const open = text.indexOf('{{', at);
    if (open < 0) return out + text.slice(at);
    action.lastIndex = open;
    const match = action.exec(text);
    if (!match)
      throw new TemplateError(
        `line ${lineOf(text, open)}: ${JSON.stringify(excerpt(text, open))} is not understood; only {{.Name}} is`,
      );
    const [whole, trimsBefore, name, braces, trimsAfter] = match;
    const before = text.slice(at, open);
    out += trimsBefore ? before.trimEnd() : before;
    if (braces !== undefined) out += braces;
    else if (name !== undefined && Object.hasOwn(values, name)) out += values[name];
    else
      throw new TemplateError(
        `line ${lineOf(text, open)}: there is no variable ${name}; known are ${Object.keys(values).join(', ')}`,
      );
    at = open + whole.length;
    if (trimsAfter) at += text.slice(at).length - text.slice(at).trimStart().length;
  }
}

function lineOf(text: string, position: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < position; i = text.indexOf('\n', i + 1)) line++;
  return line;
}

function excerpt(text: string, position: number): string {
  const end = text.indexOf('}}', position);
  return text.slice(position, end < 0 ? position + 20 : Math.min(end + 2, position + 60));
}
