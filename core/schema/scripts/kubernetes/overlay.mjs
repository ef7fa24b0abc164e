import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Reads the tables in `overlay/`, whose README explains the notation: package → type → {@link readPackage}'s result. */
export function readOverlays() {
  const directory = fileURLToPath(new URL('overlay/', import.meta.url));
  const overlays = new Map();
  for (const file of readdirSync(directory)) {
    if (!file.endsWith('.txt')) continue;
    const name = file.slice(0, -'.txt'.length).replace('.', '/');
    overlays.set(name, readPackage(file, readFileSync(directory + file, 'utf8')));
  }
  return overlays;
}

/** Type → `{ isNew, atomic, fields: name → {@link readWords}'s result }`. */
function readPackage(file, text) {
  const types = new Map();
  let current;
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return;
    if (!line.startsWith(' ')) {
      const [name, ...words] = line.split(' ');
      current = { isNew: words.includes('new'), atomic: words.includes('atomic'), fields: new Map() };
      types.set(name, current);
      return;
    }
    const match = /^ {2}(\+ )?([^:]+): (.+)$/.exec(line);
    if (!match || !current) throw new Error(`overlay/${file}:${index + 1}: cannot read "${line}"`);
    for (const field of match[2].split(' '))
      current.fields.set(field, { isNew: match[1] !== undefined, ...readWords(match[3]) });
  });
  return types;
}

const flags = new Set(['value', 'always', 'omitempty', 'omitzero', 'required', 'set', 'atomic']);

function readWords(text) {
  const result = {};
  for (const word of text.split(' ')) {
    const call = /^(map|merge|merge\+retainKeys|retainKeys|replace)(?:\(([^)]*)\))?$/.exec(word);
    if (flags.has(word)) result[word] = true;
    else if (word === '*') result.pointer = true;
    else if (word.startsWith('default(')) result.default = word.slice('default('.length, -1);
    else if (call?.[1] === 'map') result.mapKeys = call[2].split(',');
    else if (call) result.patch = { strategy: call[1].replace('+', ','), mergeKey: call[2] };
    else result.type = word;
  }
  return result;
}
