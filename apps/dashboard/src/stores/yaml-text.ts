/**
 * An object as YAML, for reading: the subset that kubectl prints. Texts that another type could be read from are quoted; control
 * characters and marks of direction are escaped.
 */
export function yamlText(value: unknown, indent = ''): string {
  if (Array.isArray(value))
    return value.length === 0 ? ' []\n' : `\n${value.map((item) => `${indent}-${itemText(item, indent)}`).join('')}`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    if (entries.length === 0) return ' {}\n';
    return `${indent === '' ? '' : '\n'}${entries.map(([key, each]) => entryText(key, each, indent)).join('')}`;
  }
  return ` ${scalarText(value, indent)}\n`;
}

function entryText(key: string, value: unknown, indent: string): string {
  const deeper = Array.isArray(value) ? indent : `${indent}  `;
  return `${indent}${key.includes('\n') ? escapeText(key) : scalarText(key, indent)}:${yamlText(value, deeper === '' && !Array.isArray(value) ? '  ' : deeper)}`;
}

/** The first entry of an object stands behind the dash. */
function itemText(item: unknown, indent: string): string {
  const text = yamlText(item, `${indent}  `);
  return text.startsWith('\n') && typeof item === 'object' && !Array.isArray(item)
    ? ` ${text.slice(1).trimStart()}`
    : text;
}

const special =
  /^(?:[-?:,[\]{}#&*!|>'"%@`\s]|$)|:\s|:$|\s#|\s$|^(?:true|false|yes|no|on|off|null|~|y|n|[-+.]?\d[\w.:+-]*|[-+]?\.(?:inf|nan)|\.\d+)$/i;
// oxlint-disable-next-line no-control-regex
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

function scalarText(value: unknown, indent: string): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (unprintable.test(value)) return escapeText(value);
  if (value.includes('\n')) return blockText(value, indent);
  return special.test(value) ? JSON.stringify(value) : value;
}

function escapeText(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Several lines as a block, which can be read; unless its first line is indented. */
function blockText(value: string, indent: string): string {
  if (/^\s/.test(value)) return JSON.stringify(value);
  const end = value.endsWith('\n\n') ? '+' : value.endsWith('\n') ? '' : '-';
  const lines = (value.endsWith('\n') ? value.slice(0, -1) : value).split('\n');
  return `|${end}\n${lines.map((line) => (line === '' ? '' : `${indent}${line}`)).join('\n')}`;
}
